/** Processor time and memory of a process tree from /proc; NaN on systems other than Linux. */

import { existsSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
/** The fields after the name, which may contain any character. */
const place = { userTime: 11, systemTime: 12 }

/** Returns microseconds of processor time of all threads. */
export function processorTimeOf(pid: number): number {
  return sum(pid, (one) => {
    const stat = readFileSync(`/proc/${one}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[place.userTime]) + Number(fields[place.systemTime])
    return (ticks * 1e6) / ticksPerSecond
  })
}

/** Returns resident memory in MiB, mapped files included. */
export function memoryOf(pid: number): number {
  return sum(pid, (one) => readStatus(one, 'VmRSS'))
}

/** Returns resident memory in MiB without mapped files, which the system can take back. */
export function allocatedMemoryOf(pid: number): number {
  return sum(pid, (one) => readStatus(one, 'RssAnon'))
}

function readStatus(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
}

function sum(pid: number, amountOf: (pid: number) => number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN
  return familyOf(pid).reduce((total, one) => total + amountOf(one), 0)
}

function familyOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return [pid]
  const children = readFileSync(file, 'latin1').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(familyOf)]
}
