/** Switches for operators; all of them are on in production. */
export const flags = {
  audit: true,
  denyByDefault: true,
};
