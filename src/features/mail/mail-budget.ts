/**
 * Limits the mails that requests ask for within an hour, for each caller and in this process
 * (docs/reference/http/limits.md, "Limits"). It counts requests, so it says nothing about accounts.
 */

import { type Refusal, refuse } from '../../refusal.ts'

export interface MailLimits {
  readonly anonymous: number
  readonly signedIn: number
  readonly perProcess: number
}

export const defaultMailLimits: MailLimits = Object.freeze({ anonymous: 20, signedIn: 200, perProcess: 2000 })

export interface MailBudget {
  /** Counts a mail. Refuses with 429 when the caller, and with 503 when all callers, have asked for too many. */
  take(caller: string, kind: 'anonymous' | 'signedIn'): void
}

/** Milliseconds in which mails are counted. */
const window = 3_600_000

/** Returns a budget that keeps the times of the mails of one window. */
export function createMailBudget(now: () => number, limits: MailLimits = defaultMailLimits): MailBudget {
  /** Oldest first; at most `perProcess`. */
  let mails: { readonly caller: string; readonly at: number }[] = []
  return {
    take(caller, kind) {
      const at = now()
      mails = mails.filter((mail) => mail.at > at - window)
      const own = mails.filter((mail) => mail.caller === caller)
      if (own.length >= limits[kind]) {
        const detail = `You may ask for at most ${limits[kind]} mails in an hour. Wait, then try again.`
        throw tooMany('too-many-requests', detail, own.at(-limits[kind]), at)
      }
      if (mails.length >= limits.perProcess) {
        const detail = 'Too many mails are asked for at the moment. Wait, then try again.'
        throw tooMany('unavailable', detail, mails[0], at)
      }
      mails.push({ caller, at })
    },
  }
}

/** The refusal until the oldest mail is no longer counted. */
function tooMany(
  type: 'too-many-requests' | 'unavailable',
  detail: string,
  oldest: { readonly at: number } | undefined,
  now: number,
): Refusal {
  const seconds = Math.max(1, Math.ceil(((oldest?.at ?? now) + window - now) / 1000))
  return refuse(type, { detail, fields: { 'Retry-After': String(seconds) } })
}
