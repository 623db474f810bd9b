"""A parallel file system (Lustre): clients with dirty pages and windows of RPCs, links, servers with hard disks."""
