import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { Conflict, Room, firstCommon, loadRooms } from '../src/booking.js';

describe('Room', () => {
  let room;
  let notify;

  beforeEach(() => {
    notify = mock.fn();
    room = new Room('blue', ['08:00-12:00', '13:00-18:00'], notify);
  });

  it('books a free slot', () => {
    assert.deepEqual(room.book('09:00-10:00', 'ana'), { start: 540, end: 600 });
    assert.deepEqual(room.agenda(), ['09:00-10:00 ana']);
  });

  it('tells about it', () => {
    room.book('09:00-10:00', 'ana');
    assert.equal(notify.mock.callCount(), 1);
    assert.deepEqual(notify.mock.calls[0].arguments, [{ room: 'blue', slot: '09:00-10:00', who: 'ana' }]);
  });

  it('refuses what overlaps', () => {
    room.book('09:00-10:00', 'ana');
    assert.throws(() => room.book('09:30-10:30', 'bo'), Conflict);
    assert.throws(() => room.book('08:30-09:30', 'bo'), /not free: 08:30-09:30/);
    assert.equal(notify.mock.callCount(), 1);
  });

  it('takes what only touches', () => {
    room.book('09:00-10:00', 'ana');
    room.book('10:00-11:00', 'bo');
    room.book('08:00-09:00', 'cy');
    assert.deepEqual(room.agenda(), ['08:00-09:00 cy', '09:00-10:00 ana', '10:00-11:00 bo']);
  });

  it('refuses what is outside of its hours', () => {
    assert.throws(() => room.book('11:30-13:30', 'ana'), Conflict);
    assert.throws(() => room.book('07:00-08:30', 'ana'), Conflict);
  });

  it('asks who books', () => {
    assert.throws(() => room.book('09:00-10:00', ''), TypeError);
    assert.deepEqual(room.agenda(), []);
  });

  it('cancels for the one who booked', () => {
    room.book('09:00-10:00', 'ana');
    assert.equal(room.cancel('09:00-10:00', 'bo'), false);
    assert.equal(room.cancel('09:00-10:00', 'ana'), true);
    assert.deepEqual(room.agenda(), []);
    room.book('09:00-10:00', 'bo');
  });
});

describe('firstCommon', () => {
  it('finds the first slot that is long enough', () => {
    const a = new Room('a', ['08:00-12:00']);
    const b = new Room('b', ['09:00-18:00']);
    a.book('09:30-11:00', 'ana');
    assert.deepEqual(firstCommon([a, b], 45), { start: 660, end: 705 });
    assert.deepEqual(firstCommon([a, b], 30), { start: 540, end: 570 });
  });

  it('gives null when there is none', () => {
    assert.equal(firstCommon([new Room('a', ['08:00-09:00'])], 61), null);
    assert.equal(firstCommon([], 1), null);
  });
});

describe('loadRooms', () => {
  const directory = {
    async find(name) {
      return { red: { open: ['08:00-09:00'] }, blue: { open: ['10:00-11:00'] } }[name];
    },
  };

  it('keeps the order', async () => {
    const rooms = await loadRooms(['blue', 'red'], directory);
    assert.deepEqual(rooms.map((r) => r.name), ['blue', 'red']);
    assert.deepEqual(rooms[0].free(), [{ start: 600, end: 660 }]);
  });

  it('fails for unknown rooms', async () => {
    await assert.rejects(loadRooms(['red', 'mauve'], directory), /no such room: mauve/);
  });
});
