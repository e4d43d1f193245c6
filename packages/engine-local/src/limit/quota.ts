import { spawn } from "node:child_process";
import { standardPath } from "../supervise/job.ts";

/**
 * Gives a folder and all that will be made in it a project of its own, named by the folder's number on the file system,
 * and sets the most that the project may hold. In Perl, because the tools for it are on few machines: the calls are
 * FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR and quotactl_fd. Jobs cannot leave their project: the filter of system calls
 * refuses the requests that change it.
 */
const limitScript = `use Fcntl; my ($folder, $kib, $files) = @ARGV;
sysopen(my $at, $folder, O_RDONLY | O_DIRECTORY) or die "$folder: $!\\n";
my $project = (stat $at)[1] & 0x7fffffff;
my $facts = pack("x28");
defined ioctl($at, 0x801c581f, $facts) or die "no project: $!\\n";
my @facts = unpack("L5 a8", $facts);
$facts[0] |= 0x200; $facts[3] = $project; $facts = pack("L5 a8", @facts);
defined ioctl($at, 0x401c5820, $facts) or die "no project: $!\\n";
my $limits = pack("Q8 L x4", $kib, $kib, 0, $files, $files, 0, 0, 0, 5);
syscall(443, fileno($at), (0x800008 << 8) | 2, $project, $limits) == 0 or die "no quota: $!\\n";`;

/** Writes three mebibytes as somebody without privilege; succeeds if that is refused. */
const trialScript = `my ($file, $user) = @ARGV; $( = $user; $) = "$user $user"; $> = $user;
open(my $out, ">", $file) or exit 1;
for (1..3) { exit 0 if !defined syswrite($out, "x" x 1048576) } exit(close($out) ? 1 : 0);`;

/** Limits what a folder may hold, by the file system itself. The text says why it cannot. */
export function setQuota(folder: string, kib: number, files: number): Promise<string | undefined> {
  return runPerl(limitScript, [folder, String(kib), String(files)]);
}

/** Whether the file system of a folder, which belongs to `user`, keeps to such a limit. Found out by trying. */
export async function hasQuota(folder: string, user: number): Promise<boolean> {
  if ((await setQuota(folder, 1024, 100)) !== undefined) return false;
  return (await runPerl(trialScript, [`${folder}/trial`, String(user)])) === undefined;
}

function runPerl(script: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("perl", ["-e", script, "--", ...words], {
      cwd: "/",
      env: { PATH: standardPath },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? undefined : said.trim() || `perl ended with ${code}`));
  });
}
