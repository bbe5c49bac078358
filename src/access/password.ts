/**
 * Passwords at rest: argon2id in the PHC string form. Hashing is memory-hard by design, so at most
 * two run at once and a bounded number waits.
 */

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from '../node-parts.ts'
import { unavailable } from '../refusal.ts'

const cost = Object.freeze({ memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 })
const concurrentHashes = 2
const waitingHashes = 100

const derive = promisify(argon2)

/** The PHC string to store for a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await inTurn(() => tagOf(password, salt, cost))
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

/** Whether the password is the one the PHC string was made from; costs a hash either way. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const known = parsePhc(stored)
  const tag = await inTurn(() => tagOf(password, known.salt, known))
  return timingSafeEqual(tag, known.tag)
}

/** A hash of no password, for logins that do not exist: refusing them takes the same path. */
export const noPassword = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(randomBytes(16))}$${unpadded(randomBytes(32))}`

interface Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

function tagOf(
  password: string,
  salt: Uint8Array,
  { memory, passes, parallelism, tagLength }: Cost,
) {
  const message = Buffer.from(password, 'utf8')
  return derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength })
}

function parsePhc(stored: string): Cost & { readonly salt: Buffer; readonly tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
  if (!match) throw new Error('A stored password is not an argon2id PHC string')
  const [, memory, passes, parallelism, salt, tag] = match
  const octets = Buffer.from(tag as string, 'base64')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: octets.length,
    salt: Buffer.from(salt as string, 'base64'),
    tag: octets,
  }
}

function unpadded(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64').replace(/=+$/, '')
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= concurrentHashes) await turn()
  else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function turn(): Promise<void> {
  if (waiting.length >= waitingHashes) {
    throw unavailable('Too many passwords are being checked at once.')
  }
  return new Promise((resolve) => waiting.push(resolve))
}
