/** Holds many connections open: idle ones, and slow ones that send one octet a second. */

import { connect, type Socket } from 'node:net'

export interface Crowd {
  disperse(): void
}

/** Connections that the server closes are opened again, so that their number stays the same. */
export async function gather(
  url: string,
  { idle, slow }: { readonly idle: number; readonly slow: number },
): Promise<Crowd> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let dispersed = false
  const join = (behave: (socket: Socket) => void): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname, resolve)
      sockets.add(socket)
      socket.resume()
      // The server may reset a connection; the `close` event opens it again.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        if (!dispersed) void join(behave)
      })
      behave(socket)
    })
  const kept = Array.from({ length: idle }, () => join(ask))
  const dripping = Array.from({ length: slow }, () => join(drip))
  await Promise.all([...kept, ...dripping])
  return {
    disperse() {
      dispersed = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

const request = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Sends one request, then keeps the connection. */
function ask(socket: Socket): void {
  socket.write(request)
}

function drip(socket: Socket): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(request.charAt(at % request.length))
    at += 1
  }, 1000)
  socket.once('close', () => clearInterval(timer))
}
