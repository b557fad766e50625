#include "ring.h"

#include <stdexcept>

#include "gtest/gtest.h"

class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ring.push(1);
    ring.push(2);
  }

  Ring ring{3};
};

TEST_F(RingTest, PopsInOrder) {
  EXPECT_EQ(ring.pop(), 1);
  EXPECT_EQ(ring.pop(), 2);
}

TEST_F(RingTest, CountsEntries) {
  EXPECT_EQ(ring.size(), 2u);
  ring.pop();
  EXPECT_EQ(ring.size(), 1u);
}

TEST_F(RingTest, IsLimited) {
  ASSERT_TRUE(ring.push(3));
  EXPECT_TRUE(ring.full());
  EXPECT_FALSE(ring.push(4));
}

TEST_F(RingTest, WrapsAround) {
  ring.pop();
  ring.push(3);
  ring.push(4);
  EXPECT_EQ(ring.pop(), 2);
  EXPECT_EQ(ring.size(), 2u);
}

TEST(Ring, EmptyRingThrows) {
  Ring ring(1);
  EXPECT_THROW(ring.pop(), std::out_of_range);
}

TEST(Ring, NeedsCapacity) {
  EXPECT_THROW(Ring(0), std::invalid_argument);
}
