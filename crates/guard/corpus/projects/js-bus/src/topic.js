'use strict';

function splitTopic(topic) {
  if (topic === '') {
    throw new Error('empty topic');
  }
  return topic.split('.');
}

function matchTopic(pattern, topic) {
  const wanted = splitTopic(pattern);
  const parts = splitTopic(topic);
  for (let at = 0; at < wanted.length; at += 1) {
    if (wanted[at] === '#') return true;
    if (at >= parts.length) return false;
    if (wanted[at] !== '*' && wanted[at] !== parts[at]) return false;
  }
  return wanted.length === parts.length;
}

function parentTopic(topic) {
  const parts = splitTopic(topic);
  if (parts.length === 1) {
    throw new RangeError(`no parent of ${topic}`);
  }
  return parts.slice(0, -1).join('.');
}

function topicDepth(topic) {
  return splitTopic(topic).length;
}

function oldTopicName(topic) {
  return topic.replace(/\./g, '/');
}

module.exports = { splitTopic, matchTopic, parentTopic, topicDepth };
