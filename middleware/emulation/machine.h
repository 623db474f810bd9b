#pragma once
// The emulated machine: the stations and the sleepers of a virtual time that passes `dilation` times slower than real
// time, so that a few real processors have time for what many would do at once.
//
// One thread lets events happen, each at its exact virtual time and no earlier than it is due in real time. Virtual time
// waits for all threads that act (see acting.h), of which the hooks of EmulatedEngine tell: late wake-ups of the real
// machine then cost real time, and change no stamp.

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "middleware/core/clock.h"
#include "middleware/emulation/acting.h"
#include "middleware/emulation/machine_report.h"
#include "middleware/emulation/pace.h"
#include "middleware/emulation/starts.h"
#include "middleware/emulation/stations.h"
#include "middleware/emulation/timers.h"
#include "middleware/emulation/waiters.h"

namespace pmtwin::emulation {

struct MachineOptions {
  double dilation = 200;
  std::array<std::uint64_t, kClasses> keys = {1, 2};             // of the random numbers of each class
  std::chrono::nanoseconds slack = std::chrono::milliseconds(1);  // see Pace
  // Longest wait of virtual time for threads that act and do not report.
  std::chrono::nanoseconds patience = std::chrono::seconds(5), client_patience = std::chrono::milliseconds(20);
};

class Machine {
 public:
  // Throws InputError for a dilation outside 1 to 1,000,000.
  Machine(std::shared_ptr<const ServiceTable> table, MachineOptions options);
  Machine(ServiceTable table, MachineOptions options);
  ~Machine();  // no thread may be in it
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const ServiceTable& table() const { return *tables_.back(); }
  const MachineOptions& options() const { return options_; }
  const middleware::Clock& clock() const { return clock_; }

  // Calls `action` at virtual time `at`, or now if that is past, in the machine's own thread, which must not be blocked.
  void call_at(double at, std::function<void()> action);

  // Goes on under another table: another phase has begun. Requests that were submitted before, which workers or queues
  // still hold, stay what they were; the table must have the speeds of their kinds. Virtual time must stand still, and
  // no worker act (settle). Throws InputError likewise.
  void use(std::shared_ptr<const ServiceTable> table, double dilation);

  // Virtual time stands still until as many calls of resume(); from any thread. settle() waits until no worker acts: only
  // then is all done that belongs to the present instant.
  void pause();
  void resume();
  void settle();

  // The calling thread, a client's, does something else from now on: virtual time does not wait to hear of it.
  void leave();

  double now();  // of the last event
  bool awaits_event();  // something is to happen, now or later, without anybody's doing

  // -- what the middleware tells, each by the thread that it concerns

  // Throws InputError for pools beyond the service table's.
  void resized(std::array<int, kClasses> pools);
  void submitted(int class_index, bool client_waits);  // to a thread that was idle, or to a queue
  void queued();
  void withdrawn(int class_index, bool client_waits);  // from its queue, unanswered
  // `number`: in the order of the class, to tell requests apart that were submitted at the same time.
  void dispatched(int class_index, middleware::Nanoseconds submitted, std::uint64_t number);
  void completed(int class_index, bool client_waits);
  void idle(int class_index);

  // Whether the service table has requests of the calling thread's class that read, or write.
  bool knows(bool is_write);

  // The calling thread's request passes through the stations; returns when it has ended. `real`: how long the operation
  // took in truth. False, and no time has passed: threads of which nobody told would be more than the service table
  // was made for.
  bool serve(bool is_write, double size_bytes, std::chrono::nanoseconds real);

  // Events since the last report.
  MachineReport report();

 private:
  class OwnClock final : public middleware::Clock {
   public:
    explicit OwnClock(Machine& machine) : machine_(machine) {}
    middleware::Nanoseconds now() const override;
    void learn(middleware::Nanoseconds stamp) const override;
    void sleep_until(middleware::Nanoseconds stamp) const override;

   private:
    Machine& machine_;
  };

  int pool_of(int class_index) const { return table().host.shared ? 0 : class_index; }
  const Demand& demand_of(int kind, double size_bytes) const;
  KnownThread& self();
  double next_event() const;
  double present() const;
  bool must_tell() const;
  void tell(std::unique_lock<std::mutex>& lock);
  void begins_to_act(KnownThread& thread);
  void acts_no_more(KnownThread& thread);
  void let_go(Waiter& waiter, double at);
  void start_together();
  void rests(KnownThread& thread, int class_index);
  void run();
  void wait_for_threads(std::unique_lock<std::mutex>& lock);
  void happen(double at, std::unique_lock<std::mutex>& lock);

  std::vector<std::shared_ptr<const ServiceTable>> tables_;  // the last is used; of those before there may be requests
  MachineOptions options_;
  const OwnClock clock_;
  const std::uint64_t id_;  // no other machine of this process had or has it

  std::mutex mutex_;
  std::condition_variable changed_;
  Stations stations_;
  Pace pace_;
  Acting acting_;
  Starts starts_;  // of this instant, while workers act
  double now_ = 0;  // of the last event
  double resized_at_ = 0;
  Timers timers_;
  Tickets tickets_;
  std::array<std::uint64_t, kClasses> started_{};
  int untold_ = 0;           // requests of threads of which nobody told
  bool ending_ = false;
  bool holding_ = false;     // the machine's own thread waits for others to have acted
  double awaited_ = kNever;  // the event for which it sleeps

  MachineReport report_;
  ReportStart reported_;

  std::thread thread_;  // last: it uses the rest
};

}  // namespace pmtwin::emulation
