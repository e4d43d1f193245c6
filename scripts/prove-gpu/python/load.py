"""What the jobs of prove-gpu do on their GPU or part of one. Prints one JSON object a line.

seat SECONDS          what it sees and can allocate, which nodes of other instances it can open; then holds it
try UUID...           whether it can use other instances by name
service SECONDS       an inference-shaped request every 2 ms; p50 and p99 of each 2 s, and p99 by the clock of the GPU, in ms
hog SECONDS           copies in memory as fast as it can; GB/s of each 2 s
duty PERCENT SECONDS  computes on all multiprocessors for that share of each 100 ms
fill / scan           writes a pattern into all of its memory / counts the pattern in memory it gets without writing it
fault                 writes to an address that is not there
grow MIB              allocates up to so much in steps of 512 MiB
"""
import ctypes
import gc
import json
import os
import subprocess
import sys
import time

PATTERN = 0x5EC2E7C0


def say(**fields):
    print(json.dumps({"at": int(time.time() * 1000), **fields}), flush=True)


class Driver:
    """The one CUDA device that is visible, by the driver's own library."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.count = ctypes.c_int()
        self.error = self.cuda.cuInit(0) or self.cuda.cuDeviceGetCount(ctypes.byref(self.count))

    def open(self):
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.must("cuDeviceGet", ctypes.byref(device), 0)
        self.must("cuCtxCreate_v2", ctypes.byref(context), 0, device)
        return self

    def must(self, name, *args):
        code = getattr(self.cuda, name)(*args)
        if code != 0:
            raise SystemExit(f"{name} answered {code}")

    def function(self, text, name):
        module, entry = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("cuModuleLoadData", ctypes.byref(module), text)
        self.must("cuModuleGetFunction", ctypes.byref(entry), module, name)
        return entry

    def launch(self, entry, blocks, threads, *values):
        sizes = [ctypes.c_uint(size) for size in (blocks, 1, 1, threads, 1, 1, 0)]
        places = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values]
        given = (ctypes.c_void_p * len(places))(*places) if places else None
        self.must("cuLaunchKernel", entry, *sizes, None, given, None)

    def memory(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.must("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def take_most(self):
        size = self.memory()[0]
        while size > 0:
            size = size * 31 // 32 >> 21 << 21
            start = ctypes.c_uint64()
            if self.cuda.cuMemAlloc_v2(ctypes.byref(start), ctypes.c_size_t(size)) == 0:
                return start.value, size
        raise SystemExit("no memory could be allocated")


def openable():
    """Nodes of instances that this process can open, by minor number; those it can make itself too."""
    found = []
    for minor in range(1, 256):
        try:
            os.close(os.open(f"/dev/nvidia-caps/nvidia-cap{minor}", os.O_RDONLY))
            found.append(minor)
        except OSError:
            pass
    for name, mode in (("/tmp/cap", 0o020666), ("/dev/shm/cap", 0o020666)):
        try:
            os.mknod(name, mode, os.makedev(241, 1))
            found.append(f"made {name}")
        except OSError:
            pass
    return found


def seat(seconds):
    driver = Driver()
    if driver.error or driver.count.value == 0:
        return say(devices=0, error=driver.error)
    driver.open()
    _, size = driver.take_most()
    total = driver.memory()[1]
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    say(
        devices=driver.count.value,
        totalMiB=total >> 20,
        gotMiB=size >> 20,
        openable=openable(),
        listed=listed.count("MIG "),
        visible=os.environ.get("CUDA_VISIBLE_DEVICES", ""),
    )
    time.sleep(seconds)


def attempt(uuids):
    for uuid in uuids:
        code = "import ctypes as c;l=c.CDLL('libcuda.so.1');n=c.c_int();e=l.cuInit(0);l.cuDeviceGetCount(c.byref(n));print(e,n.value)"
        env = {**os.environ, "CUDA_VISIBLE_DEVICES": uuid}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        error, count = (int(word) for word in (done.stdout.split() or ["-1", "0"]))
        say(uuid=uuid, error=error, devices=count)


def service(seconds):
    import torch

    matrices = [torch.randn(4096, 4096, device="cuda") for _ in range(8)]
    vector = torch.randn(4096, device="cuda")
    request = graph(torch, matrices, vector)
    for _ in range(200):
        timed(torch, request)
    gc.disable()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        took, on_gpu, until = [], [], time.perf_counter() + 2
        while (now := time.perf_counter()) < until:
            seconds, gpu_ms = timed(torch, request)
            took.append(seconds * 1000)
            on_gpu.append(gpu_ms)
            # A processor that sleeps in a virtual machine takes its time to wake up.
            while time.perf_counter() < now + 0.002:
                pass
        took.sort()
        on_gpu.sort()
        at = len(took) * 99 // 100
        say(p50=took[len(took) // 2], p99=took[at], gpuP99=on_gpu[at], n=len(took))


def graph(torch, matrices, vector):
    """A request as one launch: what is measured is the GPU, not how busy the processor is that launches each kernel."""

    def layers():
        value = vector
        for matrix in matrices:
            value = torch.nn.functional.normalize(torch.mv(matrix, value), dim=0)
        return value

    layers()
    torch.cuda.synchronize()
    made = torch.cuda.CUDAGraph()
    with torch.cuda.graph(made):
        layers()
    return made


def timed(torch, request):
    """Seconds by the clock of the machine, and milliseconds by that of the GPU."""
    one, other = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begun = time.perf_counter()
    one.record()
    request.replay()
    other.record()
    torch.cuda.synchronize()
    return time.perf_counter() - begun, one.elapsed_time(other)


def hog(seconds):
    import torch

    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begun, copies = time.perf_counter(), 0
        while time.perf_counter() < begun + 2:
            for _ in range(8):
                target.copy_(source)
            torch.cuda.synchronize()
            copies += 8
        say(gbps=2 * copies * source.numel() / (time.perf_counter() - begun) / 1e9)


SPIN = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 ns)
{
  .reg .u64 %rd<4>;
  .reg .pred %p1;
  ld.param.u64 %rd1, [ns];
  mov.u64 %rd2, %globaltimer;
  add.u64 %rd2, %rd2, %rd1;
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd2;
  @%p1 bra again;
  ret;
}
\0"""


def duty(percent, seconds):
    """Every multiprocessor works until the same instant: what is measured is time, not how well a program fills the GPU."""
    driver = Driver().open()
    say(ready=True)
    if percent == 0:
        return time.sleep(seconds)
    count = ctypes.c_int()
    driver.must("cuDeviceGetAttribute", ctypes.byref(count), 16, 0)
    entry = driver.function(SPIN, b"spin")
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        driver.launch(entry, 4 * count.value, 256, ctypes.c_uint64(percent * 1_000_000))
        driver.must("cuCtxSynchronize")
        time.sleep(max(0, begun + 0.1 - time.perf_counter()))


def fill():
    driver = Driver().open()
    start, size = driver.take_most()
    driver.must("cuMemsetD32_v2", ctypes.c_uint64(start), ctypes.c_uint32(PATTERN), ctypes.c_size_t(size // 4))
    driver.must("cuCtxSynchronize")
    say(filledMiB=size >> 20)


def scan():
    driver = Driver().open()
    start, size = driver.take_most()
    block, found, read = 16 << 20, 0, 0
    buffer = ctypes.create_string_buffer(block)
    needle = PATTERN.to_bytes(4, "little")
    for offset in range(0, size - block, max(block, size // 256)):
        driver.must("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(start + offset), ctypes.c_size_t(block))
        found += buffer.raw.count(needle)
        read += block
    say(found=found, readMiB=read >> 20, sizeMiB=size >> 20)


def grow(mib):
    driver = Driver().open()
    got, step, start = 0, 512, ctypes.c_uint64()
    while got < mib and driver.cuda.cuMemAlloc_v2(ctypes.byref(start), ctypes.c_size_t(step << 20)) == 0:
        got += step
    say(askedMiB=mib, gotMiB=got)


BAD_STORE = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry bad()
{
  .reg .u64 %rd<2>;
  .reg .u32 %r<2>;
  mov.u64 %rd1, 16;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
\0"""


def fault():
    driver = Driver().open()
    driver.launch(driver.function(BAD_STORE, b"bad"), 1, 1)
    code = driver.cuda.cuCtxSynchronize()
    say(faulted=code)
    raise SystemExit(1)


def main():
    act, *words = sys.argv[1:]
    if act == "seat":
        seat(float(words[0]))
    elif act == "try":
        attempt(words)
    elif act == "service":
        service(float(words[0]))
    elif act == "hog":
        hog(float(words[0]))
    elif act == "duty":
        duty(int(words[0]), float(words[1]))
    elif act == "fill":
        fill()
    elif act == "scan":
        scan()
    elif act == "fault":
        fault()
    elif act == "grow":
        grow(int(words[0]))


main()
