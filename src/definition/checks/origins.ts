/** Checks the option `origins`: the origins whose pages may call the service (CORS). */

import type { FaultList } from '../definition-fault.ts'
import { formatValue } from '../option-table.ts'

/** Returns the valid origins; reports the others. */
export function checkOrigins(given: unknown, faults: FaultList): string[] {
  if (given === undefined) return []
  const report = faults.at()
  if (!Array.isArray(given)) {
    report('origins: Must be a list.')
    return []
  }
  for (const origin of given) {
    if (isOrigin(origin)) continue
    const url = typeof origin === 'string' ? URL.parse(origin) : null
    report(
      `origins: ${formatValue(origin)} is not an origin.`,
      url && isOrigin(url.origin)
        ? `Did you mean '${url.origin}'?`
        : "Write it like 'https://app.example', without wildcards.",
    )
  }
  return given.filter(isOrigin)
}

function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:/.test(value)) return false
  return !value.includes('*') && URL.parse(value)?.origin === value
}
