/** How many connections the file descriptors of this process allow. */

import { readFileSync } from 'node:fs'

/** For the database, its threads, pipes to other processes, and files read meanwhile. */
const reserve = 128

/** At least half of the descriptors stay free for connections, however few there are. */
export function connectionLimit(descriptors = descriptorLimit()): number {
  return Math.max(1, descriptors - Math.min(reserve, Math.ceil(descriptors / 2)))
}

/** Infinity where the system sets no limit. */
function descriptorLimit(): number {
  const text = limitFromProc() ?? limitFromReport()
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
}

/** Linux; undefined elsewhere. A report costs several milliseconds. */
function limitFromProc(): string | undefined {
  try {
    return /^Max open files\s+(\d+|unlimited)/m.exec(
      readFileSync('/proc/self/limits', 'latin1'),
    )?.[1]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Windows has no such limit, and says nothing of it. */
function limitFromReport(): string {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft: unknown } } } =
    process.report.getReport()
  return String(report.userLimits?.open_files?.soft ?? 'unlimited')
}
