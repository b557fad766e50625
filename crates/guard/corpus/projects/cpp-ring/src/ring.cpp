#include "ring.h"

#include <stdexcept>

Ring::Ring(std::size_t capacity) : slots_(capacity) {
  if (capacity == 0) {
    throw std::invalid_argument("capacity must be positive");
  }
}

bool Ring::push(int value) {
  if (full()) {
    return false;
  }
  slots_[(head_ + size_) % slots_.size()] = value;
  ++size_;
  return true;
}

int Ring::pop() {
  if (size_ == 0) {
    throw std::out_of_range("ring is empty");
  }
  int value = slots_[head_];
  head_ = (head_ + 1) % slots_.size();
  --size_;
  return value;
}

std::size_t Ring::size() const { return size_; }

bool Ring::full() const { return size_ == slots_.size(); }
