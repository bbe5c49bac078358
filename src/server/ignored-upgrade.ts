/**
 * Upgrade is ignored (RFC 9110 §7.8), and the connection persists. Node's parser ends with a request that asks for
 * another protocol, and drops what follows it in the same packet. So such a request is taken from the parser, and
 * parsed again without the fields that ask.
 */

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { splitList } from '../http/field-value.ts'
import type { Fields } from '../http/message.ts'
import { connectionOf } from './connection.ts'
import { declaresContent } from './request-content.ts'
import { readFieldLines } from './request-field-lines.ts'

/** Parses such requests again. `serve` starts a parser on the connection. */
export function ignoreUpgrades(server: Server, serve: (socket: Socket) => void): void {
  // Node's types lack this property.
  Object.assign(server, { shouldUpgradeCallback: canParseAgain })
  server.on('upgrade', (incoming, stream, head) => {
    // On an HTTP server, a request without content leaves the socket itself.
    const socket = stream as Socket
    socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(incoming), 'latin1'), head]))
    serve(socket)
  })
}

/** Whether the client asks for another protocol on this connection. */
export function asksToUpgrade({ upgrade, connection = '' }: Fields): boolean {
  return upgrade !== undefined && splitList(connection.toLowerCase()).includes('upgrade')
}

/** Content is with the parser, and so are the responses to earlier requests: then the connection closes instead. */
function canParseAgain(incoming: IncomingMessage): boolean {
  const { last } = connectionOf(incoming.socket)
  const isIdle = last === undefined || last.response.writableFinished
  return isIdle && !declaresContent(readFieldLines(incoming.rawHeaders).fields)
}

/** The header section of the request without the fields that ask for another protocol. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const kept = keptValue(name.toLowerCase(), value)
    if (kept !== undefined) head += `${name}: ${kept}\r\n`
  }
  return `${head}\r\n`
}

/** The value of the field line; undefined where the line is left out. */
function keptValue(name: string, value: string): string | undefined {
  if (name === 'upgrade') return undefined
  if (name !== 'connection') return value
  const options = splitList(value).filter((option) => option.toLowerCase() !== 'upgrade')
  return options.length === 0 ? undefined : options.join(', ')
}
