/** Origins whose pages may call (CORS): exact ones, written as browsers send them. */

import type { FaultList } from '../definition-fault.ts'
import { formatValue } from '../option-table.ts'

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
      `origins: ${formatValue(origin)} is no origin.`,
      url && isOrigin(url.origin)
        ? `Did you mean '${url.origin}'?`
        : "Write them like 'https://app.example'; there are no wildcards.",
    )
  }
  return given.filter(isOrigin)
}

function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:/.test(value)) return false
  return !value.includes('*') && URL.parse(value)?.origin === value
}
