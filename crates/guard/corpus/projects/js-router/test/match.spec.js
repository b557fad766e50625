'use strict';

const { expect } = require('chai');
const { compile, matchPath } = require('../lib/match');

describe('matchPath', () => {
  it('matches a fixed path', () => {
    expect(matchPath('/about', '/about')).to.deep.equal({});
  });

  it('reads a parameter', () => {
    expect(matchPath('/users/:id', '/users/42')).to.deep.equal({ id: '42' });
  });

  it('reads two parameters', () => {
    expect(matchPath('/a/:x/b/:y', '/a/1/b/2')).to.deep.equal({ x: '1', y: '2' });
  });

  it('decodes', () => {
    expect(matchPath('/tags/:tag', '/tags/c%2B%2B').tag).to.equal('c++');
  });

  it('does not match a longer path', () => {
    expect(matchPath('/users/:id', '/users/42/edit')).to.equal(null);
  });
});

describe('compile', () => {
  it('needs a leading slash', () => {
    expect(() => compile('users')).to.throw(Error, 'must start with a slash');
  });

  it('names the parameters', () => {
    const { names, regex } = compile('/x/:a/:b');
    expect(names).to.deep.equal(['a', 'b']);
    expect(regex.test('/x/1/2')).to.equal(true);
  });

  it('keeps what it compiled', () => {
    expect(compile('/same')).to.equal(compile('/same'));
  });
});
