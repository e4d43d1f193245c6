import { findProgram } from "../packages.js";

/** What the kubelet is told, as YAML (which JSON is). */
export function kubeletSettings({ address, pods, cgroup, clientCa, resolver, dns, taints }) {
  return JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: clientCa } },
    authorization: { mode: "Webhook" },
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroup}`,
    failCgroupV1: false,
    failSwapOn: false,
    resolvConf: resolver,
    clusterDNS: [dns],
    clusterDomain: "cluster.local",
    volumePluginDir: "/var/lib/kubelet/volume-plugins",
    podCIDR: pods,
    maxPods: 250,
    serializeImagePulls: false,
    kubeAPIQPS: 200,
    kubeAPIBurst: 400,
    eventRecordQPS: 0,
    // A test machine may be full; that is no reason to evict the pods of a test.
    evictionHard: {
      "memory.available": "100Mi",
      "nodefs.available": "1%",
      "nodefs.inodesFree": "1%",
      "imagefs.available": "1%",
    },
    imageGCHighThresholdPercent: 100,
    registerWithTaints: taints,
  });
}

const toml = JSON.stringify;

export function containerdSettings({ nodeBin, networks }) {
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
address = "/run/containerd/containerd.sock"

[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "localhost/pause:1"

[plugins."io.containerd.cri.v1.runtime"]
enable_cdi = true
cdi_spec_dirs = ["/run/cdi"]
# Without CAP_SYS_RESOURCE no process may go below its own value, and runc would fail.
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [${toml(nodeBin)}]
conf_dir = ${toml(networks)}
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = ${toml(findProgram("runc"))}
SystemdCgroup = false
`;
}

/** Every pod is a link of its own to the node, with an address of the node's range. */
export function networkSettings(pods) {
  const ipam = {
    type: "host-local",
    dataDir: "/run/cni-ipam",
    ranges: [[{ subnet: pods }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      { type: "ptp", ipMasq: false, ipam },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  });
}
