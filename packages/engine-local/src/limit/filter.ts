/** How the filter of system calls is loaded, in order of preference: by bwrap itself, or by a few lines of Perl. */
export type FilterLoader = "bwrap" | "perl";

/** The number of `prctl`, for machines for which there is a filter. */
const prctlCalls: { readonly [arch: string]: number } = { x64: 157, arm64: 167 };

/**
 * The words to put before a command so that the filter on descriptor 3 holds for it. Perl is part of every Debian and of
 * most other systems, and can make a system call from plain text; a program of our own would have to be compiled. The
 * filter holds for everything that follows, so it must let the step that gives up rights pass.
 */
export function loadFilter(arch: string): string[] {
  const prctl = prctlCalls[arch];
  if (prctl === undefined) return [];
  const [setNoNewPrivileges, setSeccomp, modeFilter] = [38, 22, 2];
  // struct sock_fprog: how many instructions, and where they are.
  const script = `open(my $file, "<&=", 3) or die "no filter: $!\\n"; binmode $file;
my $code = do { local $/; <$file> }; close $file;
my $program = pack("S x6 P", length($code) / 8, $code);
syscall(${prctl}, ${setNoNewPrivileges}, 1, 0, 0, 0) == 0 && syscall(${prctl}, ${setSeccomp}, ${modeFilter}, $program, 0, 0) == 0
  or do { print STDERR "the filter of system calls cannot be loaded: $!\\n"; exit 125 };
exec { $ARGV[0] } @ARGV or exit 126;`;
  return ["perl", "-e", script, "--"];
}
