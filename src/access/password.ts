/** Password hashes: argon2id (RFC 9106) in the PHC string format. */

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { createFairQueue, type RunInTurn, runImmediately } from '../limits/fair-queue.ts'
import { promisify } from '../tools/node-builtins.ts'

/** The cost of a password hash, as argon2id has it. */
export interface PasswordCost {
  /** In KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  /** In octets. */
  readonly tagLength: number
}

export const defaultPasswordCost: PasswordCost = Object.freeze({
  memory: 19_456,
  passes: 2,
  parallelism: 1,
  tagLength: 32,
})

/** For credentials, which do not wait for new passwords. */
export const signInHashQueue = createFairQueue({
  concurrent: 2,
  perCaller: 20,
  perAddress: 60,
  total: 1000,
  works: 'password checks',
})
/** For new passwords, and for the current password that changing them requires. */
export const passwordChangeHashQueue = createFairQueue({
  concurrent: 1,
  perCaller: 10,
  perAddress: 50,
  total: 500,
  works: 'password checks',
})

const derive = promisify(argon2)

export interface HashOptions {
  readonly cost?: PasswordCost | undefined
  readonly inTurn?: RunInTurn | undefined
}

/** Returns the PHC string to store for a password. */
export async function hashPassword(
  password: string,
  { cost = defaultPasswordCost, inTurn = runImmediately }: HashOptions = {},
): Promise<string> {
  const salt = randomBytes(16)
  const tag = await inTurn(() => deriveTag(password, salt, cost))
  return formatPhc(cost, salt, tag)
}

/** Whether the password matches the PHC string, whose cost decides how long this takes. */
export async function verifyPassword(
  password: string,
  stored: string,
  inTurn: RunInTurn = runImmediately,
): Promise<boolean> {
  const known = parsePhc(stored)
  const tag = await inTurn(() => deriveTag(password, known.salt, known))
  return timingSafeEqual(tag, known.tag)
}

/** By this salt it can be told that an account has no password. */
const saltOfNone = Buffer.alloc(16)

/** Returns the PHC string of an account without a password: another one each time, which no password matches. */
export function createHashOfNone(cost = defaultPasswordCost): string {
  return formatPhc(cost, saltOfNone, randomBytes(cost.tagLength))
}

/** Whether the stored value is the hash of a password. */
export function isPasswordHash(stored: unknown): stored is string {
  return typeof stored === 'string' && !stored.includes(`$${formatBase64(saltOfNone)}$`)
}

function deriveTag(
  password: string,
  salt: Uint8Array,
  { memory, passes, parallelism, tagLength }: PasswordCost,
) {
  const message = Buffer.from(password, 'utf8')
  return derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength })
}

function formatPhc({ memory, passes, parallelism }: PasswordCost, salt: Uint8Array, tag: Uint8Array): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${formatBase64(salt)}$${formatBase64(tag)}`
}

function parsePhc(stored: string): PasswordCost & { readonly salt: Buffer; readonly tag: Buffer } {
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

function formatBase64(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64').replace(/=+$/, '')
}
