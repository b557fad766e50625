export default {
  respectRobots: true,
  followSitemaps: true,
  cacheMs: 60_000,
};
