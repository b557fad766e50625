import { send } from '../src/mailer';
import { remind, type Open } from '../src/reminder';
import { invoice } from './factory';

jest.mock('../src/mailer');
const mailed = jest.mocked(send);

const open = (reminders = 0): Open => ({ invoice: invoice(), reminders });

beforeEach(() => {
  mailed.mockReset();
  mailed.mockResolvedValue(undefined);
});

describe('remind', () => {
  it('writes fourteen days after the due date', async () => {
    const item = open();
    expect(await remind([item], '2024-03-18')).toEqual([]);
    expect(mailed).not.toHaveBeenCalled();
    expect(await remind([item], '2024-03-19')).toEqual([]);
    expect(mailed).toHaveBeenCalledTimes(1);
    expect(mailed).toHaveBeenCalledWith('Mora GmbH', 'Invoice 2024-00017: 11,90 were due on 2024-03-05.');
    expect(item.reminders).toBe(1);
  });

  it('writes three times at most', async () => {
    const item = open(3);
    await remind([item], '2024-06-01');
    expect(mailed).not.toHaveBeenCalled();
    expect(item.reminders).toBe(3);
  });

  it('reports mails that failed and goes on', async () => {
    mailed.mockRejectedValueOnce(new Error('relay down'));
    const items = [open(), { invoice: invoice({ number: '2024-00018' }), reminders: 1 }];
    expect(await remind(items, '2024-06-01')).toEqual(['2024-00017']);
    expect(items.map((item) => item.reminders)).toEqual([0, 2]);
  });
});
