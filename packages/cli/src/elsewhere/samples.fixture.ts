/** Files as people have them for other programs. */

export const sbatch = `#!/bin/bash
#SBATCH --job-name=llama-ft
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=h100:8
#SBATCH --cpus-per-task=12
#SBATCH --mem=512G
#SBATCH -t 1-12:00:00
#SBATCH -p gpu
#SBATCH -A vision
#SBATCH --output=logs/%x-%j.out
#SBATCH --signal=B:USR1@120
#SBATCH --array=0-9%2

module load cuda/12.4
source ~/venv/bin/activate
export NCCL_DEBUG=WARN
srun --cpu-bind=none python train.py --rank $SLURM_PROCID
`;

export const skyPilot = `name: llama-ft
resources:
  accelerators: {A100-80GB: 8, H100: 8}
  cloud: aws
  use_spot: true
  cpus: 32+
  memory: 256+
  disk_size: 512
num_nodes: 2
workdir: .
file_mounts:
  /data: s3://my-data
envs:
  MODEL: llama-3-8b
setup: |
  pip install -r requirements.txt
run: |
  torchrun --nnodes $SKYPILOT_NUM_NODES train.py --model $MODEL
`;

export const dstack = `type: task
name: train-distrib
nodes: 2
python: "3.12"
env:
  - NCCL_DEBUG=INFO
commands:
  - pip install -r requirements.txt
  - torchrun --nproc-per-node=$DSTACK_GPUS_PER_NODE train.py
resources:
  gpu: H100:80GB:8
  cpu: 16..
  memory: 64GB..
  shm_size: 24GB
max_duration: 2h
spot_policy: auto
`;

export const kubernetesJob = `apiVersion: batch/v1
kind: Job
metadata:
  name: trainer
  namespace: vision
spec:
  parallelism: 2
  backoffLimit: 3
  activeDeadlineSeconds: 7200
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
      containers:
        - name: trainer
          image: nvcr.io/nvidia/pytorch:25.01-py3
          command: ["bash", "-c"]
          args: ["torchrun --nproc-per-node 8 train.py"]
          env:
            - name: NCCL_DEBUG
              value: WARN
            - name: HF_TOKEN
              valueFrom: {secretKeyRef: {name: hf, key: token}}
          resources:
            limits: {nvidia.com/gpu: 8, cpu: "32", memory: 256Gi}
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: data}
`;

export const compose = `services:
  trainer:
    image: pytorch/pytorch:2.5.1
    command: python train.py --epochs 3
    working_dir: /workspace
    shm_size: 8gb
    environment:
      - NCCL_DEBUG=WARN
    volumes: ["./:/workspace"]
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: 2
              capabilities: [gpu]
  tensorboard:
    image: tensorflow/tensorflow
    ports: ["6006:6006"]
`;

export const kubernetesJobSet = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LR: "0.1"}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pretrain
spec:
  replicatedJobs:
    - name: workers
      replicas: 4
      template:
        spec:
          parallelism: 1
          completions: 1
          backoffLimit: 0
          template:
            spec:
              containers:
                - name: worker
                  image: example.org/train:1
                  command: ["python", "train.py", "--config", "big model.yaml"]
                  resources:
                    limits: {nvidia.com/gpu: "8", cpu: 1500m}
`;

export const kubernetesPod = `apiVersion: v1
kind: Pod
metadata:
  name: cuda-test
spec:
  containers:
    - name: cuda
      image: nvidia/cuda:12.4.1-base
      command: [nvidia-smi]
      resources:
        limits:
          nvidia.com/gpu: 1
`;

export const oneLineSbatch = `#!/bin/sh
#SBATCH -N 4 -n 32 --gres=gpu:a100:8 --mem=0 -t 90 --exclusive
#SBATCH -J "my job" -d afterok:4711
srun -n 32 --mpi=pmix ./solver input.dat
`;
