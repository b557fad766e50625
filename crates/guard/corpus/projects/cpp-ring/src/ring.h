#pragma once

#include <cstddef>
#include <vector>

class Ring {
 public:
  explicit Ring(std::size_t capacity);
  bool push(int value);
  int pop();
  std::size_t size() const;
  bool full() const;

 private:
  std::vector<int> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};
