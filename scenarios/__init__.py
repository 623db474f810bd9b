"""What is controlled: workloads, phases, SLA, reward, the Gymnasium environments."""
