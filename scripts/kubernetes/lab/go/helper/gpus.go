package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	kubelet "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	socket = "gpus.sock"
	look   = 300 * time.Millisecond
)

// gpus are devices without hardware: each is the null device, so that the device cgroup has something to allow.
// The numbers in the file `unhealthy` of the folder are those of devices that are broken at the moment.
type gpus struct {
	kubelet.UnimplementedDevicePluginServer
	node, folder string
	count        int
}

func (g *gpus) GetDevicePluginOptions(context.Context, *kubelet.Empty) (*kubelet.DevicePluginOptions, error) {
	return &kubelet.DevicePluginOptions{}, nil
}

func (g *gpus) ListAndWatch(_ *kubelet.Empty, out grpc.ServerStreamingServer[kubelet.ListAndWatchResponse]) error {
	told := "nothing yet"
	for out.Context().Err() == nil {
		text, _ := os.ReadFile(filepath.Join(g.folder, "unhealthy"))
		if broken := string(text); broken != told {
			told = broken
			if err := out.Send(&kubelet.ListAndWatchResponse{Devices: g.devices(strings.Fields(broken))}); err != nil {
				return err
			}
		}
		time.Sleep(look)
	}
	return nil
}

func (g *gpus) devices(broken []string) []*kubelet.Device {
	all := make([]*kubelet.Device, g.count)
	for i := range all {
		all[i] = &kubelet.Device{ID: fmt.Sprintf("GPU-%s-%d", g.node, i), Health: kubelet.Healthy}
		if slices.Contains(broken, strconv.Itoa(i)) || slices.Contains(broken, all[i].ID) {
			all[i].Health = kubelet.Unhealthy
		}
	}
	return all
}

func (g *gpus) Allocate(_ context.Context, ask *kubelet.AllocateRequest) (*kubelet.AllocateResponse, error) {
	answer := &kubelet.AllocateResponse{}
	for _, container := range ask.ContainerRequests {
		given := &kubelet.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(container.DevicesIds, ",")},
		}
		for _, id := range container.DevicesIds {
			no := id[strings.LastIndexByte(id, '-')+1:]
			given.Devices = append(given.Devices, &kubelet.DeviceSpec{
				HostPath: g.device(no), ContainerPath: "/dev/nvidia" + no, Permissions: "rw",
			})
		}
		answer.ContainerResponses = append(answer.ContainerResponses, given)
	}
	return answer, nil
}

func (g *gpus) device(no string) string {
	return filepath.Join(g.folder, "dev", "gpu"+no)
}

// offer registers with the kubelet and ends when the kubelet, at its own start, has removed the socket.
func offer(resource string, count int, node, folder string) {
	g := &gpus{node: node, folder: folder, count: count}
	check(os.MkdirAll(filepath.Join(folder, "dev"), 0o755))
	for i := range count {
		err := unix.Mknod(g.device(strconv.Itoa(i)), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3)))
		if !errors.Is(err, unix.EEXIST) {
			check(err)
		}
	}
	path := filepath.Join(kubelet.DevicePluginPath, socket)
	_ = os.Remove(path)
	listener, err := net.Listen("unix", path)
	check(err)
	server := grpc.NewServer()
	kubelet.RegisterDevicePluginServer(server, g)
	go func() { check(server.Serve(listener)) }()
	connection, err := grpc.NewClient("unix://"+kubelet.KubeletSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	_, err = kubelet.NewRegistrationClient(connection).Register(context.Background(), &kubelet.RegisterRequest{
		Version: kubelet.Version, Endpoint: socket, ResourceName: resource, Options: &kubelet.DevicePluginOptions{},
	})
	check(err)
	for err == nil {
		time.Sleep(look)
		_, err = os.Stat(path)
	}
}
