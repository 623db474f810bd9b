// A pool over a queue of any design.
#pragma once

#include <memory>
#include <utility>

#include "middleware/pools/worker_threads.h"
#include "middleware/pools/queue.h"
#include "middleware/pools/queue_registry.h"
#include "middleware/pools/worker_pool.h"

namespace pmtwin::middleware {

template <RequestQueue Queue>
class QueuePool final : public WorkerPool {
 public:
  explicit QueuePool(PoolTasks tasks)
      : tasks_(std::move(tasks)),
        threads_([this](std::size_t worker) { work(worker); }, tasks_.cpus, tasks_.one_cpu_each) {}
  ~QueuePool() override {
    resize(0);
    threads_.settle();
  }

  void push(Request& request) override { queue_.push(request); }
  std::size_t queue_length() const override { return queue_.size(); }

  void prepare(int workers) override { threads_.prepare(workers); }
  void resize(int workers) override {
    threads_.set_wanted(workers);
    queue_.wake(kMostWorkers);
  }
  bool settle(Deadline until) override { return threads_.settle(until); }
  Request* withdraw() override { return queue_.take(); }

 private:
  struct Worker {
    QueuePool& pool;
    const std::size_t number;
    bool holding = false;

    bool leave() { return pool.threads_.may_leave(); }
    bool holds() const { return holding; }
    void let_go() {
      if (holding) pool.tasks_.let_go(number);
      holding = false;
    }
    void idle() { pool.tasks_.idle(); }
  };

  void work(std::size_t number) {
    Worker worker{*this, number};
    for (;;) {
      const Taken taken = queue_.pop(worker);
      if (taken.request == nullptr) break;
      worker.holding = tasks_.serve(*taken.request, number, taken.woken);
    }
    worker.let_go();
    tasks_.idle();
  }

  const PoolTasks tasks_;
  Queue queue_;
  WorkerThreads threads_;  // last: its threads use the rest
};

template <RequestQueue Queue>
std::unique_ptr<WorkerPool> make_queue_pool(PoolTasks tasks) {
  return std::make_unique<QueuePool<Queue>>(std::move(tasks));
}

}  // namespace pmtwin::middleware
