import { connect, type Socket } from 'node:net';

/** Hands a mail to the relay on this host. */
export function send(to: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(2525, 'localhost', () => socket.end(`TO ${to}\n${text}\n`));
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}
