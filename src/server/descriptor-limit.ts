/** The number of connections that the file descriptors of this process allow. */

import { readFileSync } from 'node:fs'

/** Descriptors for the database, threads, pipes and files. */
const reserve = 128

/** Reserves descriptors for other uses, but at most half of them. */
export function connectionLimit(descriptors = descriptorLimit()): number {
  return Math.max(1, descriptors - Math.min(reserve, Math.ceil(descriptors / 2)))
}

/** Infinity when the system sets no limit. */
function descriptorLimit(): number {
  const text = limitFromProc() ?? limitFromReport()
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
}

/** Linux only; undefined elsewhere. Faster than a report, which takes several milliseconds. */
function limitFromProc(): string | undefined {
  try {
    return /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Windows has no such limit. */
function limitFromReport(): string {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft: unknown } } } =
    process.report.getReport()
  return String(report.userLimits?.open_files?.soft ?? 'unlimited')
}
