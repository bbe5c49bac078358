/** A crowd that only holds connections: idle ones, and slow ones that send one octet a second. */

import { connect, type Socket } from 'node:net'

export interface Crowd {
  disperse(): void
}

/** Those that the server cuts come back, so that it stays as large. */
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
      // A reset is the server's right; the close that follows brings the connection back.
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

/** Asks once, then keeps the connection. */
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
