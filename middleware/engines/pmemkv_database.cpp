#include "middleware/engines/pmemkv_database.h"

namespace pmtwin::middleware {

std::string open_database(pmem::kv::db& database, const std::string& path, Pool pool, std::uint64_t bytes) {
  using pmem::kv::status;
  pmem::kv::config config;
  status result = config.put_path(path);
  if (result == status::OK && pool == Pool::kNew) result = config.put_size(bytes);
  if (result == status::OK && pool == Pool::kNew) result = config.put_force_create(true);
  if (result == status::OK) result = database.open("cmap", std::move(config));
  return result == status::OK ? "" : pmem::kv::errormsg();
}

}  // namespace pmtwin::middleware
