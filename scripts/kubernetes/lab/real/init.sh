#!/usr/bin/env bash
# The first process of a real node, inside its namespaces: mounts, then the daemons, each started again when it ends.
# Its folder is the only argument; the rest comes from the environment.
set -eu
folder=$1

mount --make-rshared /
mount -t proc proc /proc
mount --bind "$folder/lib" /var/lib
mount --bind "$folder/log" /var/log
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/cdi /run/lock /run/netns /var/lib/kubelet /var/log/pods

# The kubelet sets these for the whole machine: it gets copies instead.
mkdir -p "$folder/sysctl"
for key in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  [ -e "/proc/sys/$key" ] || continue
  copy="$folder/sysctl/${key//\//.}"
  cat "/proc/sys/$key" > "$copy"
  mount --bind "$copy" "/proc/sys/$key"
done

hostname "$NODE_NAME"
ip link set lo up
until ip -4 addr show dev eth0 2>/dev/null | grep -q inet; do sleep 0.02; done
# The service address of the API server: the forwarder listens there.
ip addr add 10.96.0.1/32 dev lo
echo 1 > /proc/sys/net/ipv4/ip_forward
touch "$folder/wired"

containerd --config "$folder/containerd.toml" > "$folder/log/containerd.log" 2>&1 &
until ctr version > /dev/null 2>&1; do sleep 0.05; done
for image in "$IMAGES"/*.tar; do ctr -n k8s.io images import "$image" >> "$folder/log/images.log" 2>&1; done
touch "$folder/imported"
until [ -e "$folder/go" ]; do sleep 0.02; done

# again NAME COMMAND...: for as long as the node lives; the pid of the daemon as the node sees it lies beside its log
again() {
  local name=$1
  shift
  while :; do
    "$@" &
    echo $! > "$folder/log/$name.pid"
    wait $! || true
    sleep 0.3
  done > "$folder/log/$name.log" 2>&1
}

again kubelet kubelet --config "$folder/kubelet.yaml" --kubeconfig "$folder/kubeconfig" --hostname-override "$NODE_NAME" \
  --node-ip "$NODE_IP" --node-labels "$NODE_LABELS" &
if [ "$GPUS" != 0 ]; then
  (
    until [ -S /var/lib/kubelet/device-plugins/kubelet.sock ]; do sleep 0.1; done
    again gpus helper gpus nvidia.com/gpu "$GPUS" "$NODE_NAME" "$folder"
  ) &
fi
if [ "$DRA_GPUS" != 0 ]; then
  (
    until [ -d /var/lib/kubelet/plugins_registry ]; do sleep 0.1; done
    mkdir -p /var/lib/kubelet/plugins/gpu.example.com
    again dra dra-example-kubeletplugin --kubeconfig "$ADMIN" --cdi-root /run/cdi --num-devices "$DRA_GPUS"
  ) &
fi
if [ "$NETWORK_POLICY" != 0 ]; then
  again kube-router kube-router --run-router=false --run-service-proxy=false --run-firewall=true --kubeconfig "$ADMIN" \
    --hostname-override "$NODE_NAME" --service-cluster-ip-range 10.96.0.0/16 --metrics-port 0 --health-port 0 &
fi

# As the first process of its namespace it also reaps what others left behind.
while :; do wait -n || sleep 0.2; done
