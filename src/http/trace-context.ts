/** Trace Context (https://www.w3.org/TR/trace-context/): the fields `traceparent` and `tracestate`. */

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

/** Undefined where the value is missing or not valid. A version after 00 may have further parts. */
export function parseTraceParent(value: string | undefined): TraceParent | undefined {
  if (value === undefined) return undefined
  const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})($|-)/
  const [, version, traceId = '', spanId = '', flags = '', end] = form.exec(value) ?? []
  if (version === undefined || (version === '00' && end !== '')) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

const key = /[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13}/
const value = /[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]/
const stateMember = new RegExp(`^(${key.source})=${value.source}$`)
const maxMembers = 32

/**
 * The members of `tracestate`, to be passed on; undefined where there are none or one is not valid (§3.3.1). Long
 * values are shortened.
 */
export function parseTraceState(text: string | undefined): string | undefined {
  const members = (text ?? '').split(',').flatMap((member) => member.replace(/^[ \t]+|[ \t]+$/g, '') || [])
  const keys = members.map((member) => stateMember.exec(member)?.[1])
  const isValid =
    members.length <= maxMembers && !keys.includes(undefined) && new Set(keys).size === keys.length
  return isValid ? shortenState(members).join(',') || undefined : undefined
}

const maxStateLength = 512
const maxMemberLength = 128

/** §3.3.1.5: members of more than 128 characters are removed first, then those at the end. */
function shortenState(members: readonly string[]): readonly string[] {
  if (members.join(',').length <= maxStateLength) return members
  const kept = members.filter((member) => member.length <= maxMemberLength)
  while (kept.join(',').length > maxStateLength) kept.pop()
  return kept
}
