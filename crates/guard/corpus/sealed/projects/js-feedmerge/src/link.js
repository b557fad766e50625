export class LinkError extends Error {
  constructor(link, reason) {
    super(`${reason}: ${link}`);
    this.name = 'LinkError';
    this.link = link;
  }
}

/**
 * A link in the form in which links are compared.
 * @param {string} link
 */
export function normaliseLink(link) {
  let url;
  try {
    url = new URL(link);
  } catch {
    throw new LinkError(link, 'not a link');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new LinkError(link, 'not a web address');
  if (url.username || url.password) throw new LinkError(link, 'has a password');
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) {
    if (name.startsWith('utm_')) url.searchParams.delete(name);
  }
  url.searchParams.sort();
  return url.href.replace(/\/$/, '');
}
