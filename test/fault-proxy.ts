/** A proxy between a node and its database that can delay, drop or cut connections. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The fate of octets that the node sends. */
export type Fate =
  | 'pass'
  /** They do not arrive, and the connection closes. */
  | 'lose'
  /** They arrive, and the connection closes before the response. */
  | 'lose-response'

export interface FaultProxy extends AsyncDisposable {
  readonly port: number
  /** Decides the fate of each chunk. */
  fateOf: (chunk: Buffer) => Fate
  /** Delay in each direction, in milliseconds. */
  delay: number
  /** Drops all octets silently. */
  silent: boolean
  /** Closes all connections and accepts none until `mend`. */
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function faultProxy(targetPort: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  let port = 0
  let server: Server
  const listen = async () => {
    server = createServer((near) => join(proxy, sockets, near, targetPort))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  }
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const proxy: FaultProxy = {
    get port() {
      return port
    },
    fateOf: () => 'pass',
    delay: 0,
    silent: false,
    cut,
    mend: listen,
    [Symbol.asyncDispose]: cut,
  }
  await listen()
  return proxy
}

function join(proxy: FaultProxy, sockets: Set<Socket>, near: Socket, targetPort: number): void {
  const far = connect(targetPort, '127.0.0.1')
  const both = [near, far]
  let answering = true
  for (const socket of both) {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      for (const one of both) one.destroy()
    })
  }
  near.on('data', (chunk: Buffer) => {
    const fate = proxy.fateOf(chunk)
    if (fate === 'lose') near.destroy()
    if (fate === 'lose-response') answering = false
    if (fate !== 'lose') carry(proxy, chunk, { from: near, to: far })
  })
  far.on('data', (chunk: Buffer) => {
    if (answering) carry(proxy, chunk, { from: far, to: near })
    else near.destroy()
  })
}

function carry({ silent, delay }: FaultProxy, chunk: Buffer, direction: Direction): void {
  if (silent) return
  if (delay === 0) forward(chunk, direction)
  else setTimeout(() => void (direction.to.destroyed || direction.to.write(chunk)), delay)
}

interface Direction {
  readonly from: Socket
  readonly to: Socket
}

/** With back-pressure: octets that wait here would look like a receiver that is silent. */
function forward(chunk: Buffer, { from, to }: Direction): void {
  if (to.write(chunk)) return
  from.pause()
  to.once('drain', () => from.resume())
}
