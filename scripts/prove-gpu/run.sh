#!/bin/bash
# Unpacks what lies beside this file and runs prove-gpu with the words given. For a machine that is thrown away: it needs
# root, python3 and the NVIDIA driver, and no network. The GPU is whole again at the end, whatever happens.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=/root/tessera-prove
whole() {
  nvidia-smi mig -dci; nvidia-smi mig -dgi; nvidia-smi -i 0 -mig 0
} >/dev/null 2>&1
trap whole EXIT
mkdir -p "$into" /srv
python3 - "$here" "$into" <<'P' || exit 1
import lzma, os, shutil, sys, tarfile
here, into = sys.argv[1:]
with lzma.open(f"{here}/node.xz") as packed, open("/usr/local/bin/node.new", "wb") as out:
    shutil.copyfileobj(packed, out, 1 << 20)
os.chmod("/usr/local/bin/node.new", 0o755)
os.replace("/usr/local/bin/node.new", "/usr/local/bin/node")
with tarfile.open(f"{here}/tessera.tar.xz") as packed:
    packed.extractall(into)
P
# A reset would take a shared machine's GPU away from its host: it is refused as on a machine that cannot do it.
cat > "$into/nvidia-smi" <<'S'
#!/bin/bash
case " $* " in *" --gpu-reset "* | *" -r "*) echo "Resetting GPU is not supported here."; exit 3 ;; esac
exec nvidia-smi "$@"
S
chmod 755 "$into/nvidia-smi"
export TESSERA_NVIDIA_SMI="$into/nvidia-smi"
cd "$into" && /usr/local/bin/node scripts/prove-gpu/prove-gpu.js "$@"
