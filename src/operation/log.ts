/** The log: one line per observation at or above the level. */

import type { Observation, Observer } from '../observation.ts'
import { styleText } from '../tools/node-builtins.ts'
import { type LogLevel, logLevels } from './configuration/config.ts'
import { type EntryFields, fieldsOf, levelOf } from './log-entry.ts'

export interface LogStream {
  /** A terminal gets readable lines; other streams get JSON lines. */
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Returns an observer that writes log lines to the stream; repeated lines are limited. */
export function logTo(stream: LogStream, level: LogLevel, now: () => number): Observer {
  const threshold = logLevels.indexOf(level)
  const format = stream.isTTY ? formatReadable : formatJson
  const write = (entry: LogEntry) => stream.write(`${format(entry)}\n`)
  const writeLimited = limitRepetition(write)
  return (observation) => {
    const level = levelOf(observation)
    if (logLevels.indexOf(level) < threshold) return
    const time = new Date(now())
    const entry = { time, level, event: observation.kind, fields: fieldsOf(observation) }
    if (limited.has(level)) writeLimited(kindOfLine(observation), entry)
    else write(entry)
  }
}

/** The levels of lines that requests can cause at the default level. */
const limited: ReadonlySet<LogLevel> = new Set(['warn', 'error'])

export interface DeferredObserver {
  readonly observe: Observer
  release(): void
}

/** Stores observations until `release`. When the start fails, its message is enough and they are dropped. */
export function deferObservations(observe: Observer): DeferredObserver {
  let deferred: Observation[] | undefined = []
  return {
    observe(observation) {
      if (deferred) deferred.push(observation)
      else observe(observation)
    },
    release() {
      for (const observation of deferred ?? []) observe(observation)
      deferred = undefined
    },
  }
}

interface LogEntry {
  readonly time: Date
  readonly level: LogLevel
  readonly event: string
  readonly fields: EntryFields
}

function formatJson({ time, level, event, fields }: LogEntry): string {
  return JSON.stringify({ time: time.toISOString(), level, event, ...fields })
}

type Style = Parameters<typeof styleText>[0]

const styles: Readonly<Record<LogLevel, Style>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: ['bold', 'red'],
  silent: 'gray',
}

/** `12:34:56.789 error  bug  request=… cause="…"`, and the stack below it. */
function formatReadable({ time, level, event, fields }: LogEntry): string {
  const { stack, ...others } = fields
  const words = Object.entries(others).map(
    ([name, value]) => `${styleText('dim', `${name}=`)}${formatValue(value)}`,
  )
  const clock = styleText('dim', time.toISOString().slice(11, 23))
  const line = [clock, styleText(styles[level], level.padEnd(5)), event, ...words].join(' ')
  return stack === undefined ? line : `${line}\n${indent(String(stack))}`
}

/** Quotes text with spaces or control characters. */
function formatValue(value: string | number): string {
  const text = String(value)
  return /^[!#-~]+$/.test(text) ? text : JSON.stringify(text)
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

/** In milliseconds. */
const period = 10_000

const linesPerKind = 10

/** Further kinds share one tally, so that the lines of a period are bounded. */
const maxKinds = 90

interface Tally {
  written: number
  omitted: number
  last: LogEntry
}

/**
 * Limits entries that repeat, so that requests cannot fill the log: an entry of a kind that has reached the limit of the
 * period is only counted. At the end of a period, `write` gets the last omitted entry of each kind with their number.
 */
function limitRepetition(write: (entry: LogEntry) => void): (kind: string, entry: LogEntry) => void {
  let tallies: Map<string, Tally> | undefined
  const beginPeriod = () => {
    const begun = new Map<string, Tally>()
    setTimeout(() => {
      tallies = undefined
      for (const { last, omitted } of begun.values()) {
        if (omitted > 0) write({ ...last, fields: { ...last.fields, repeated: omitted } })
      }
    }, period).unref()
    return begun
  }
  return (kind, entry) => {
    tallies ??= beginPeriod()
    const name = tallies.has(kind) || tallies.size < maxKinds ? kind : ''
    const tally = tallies.get(name) ?? { written: 0, omitted: 0, last: entry }
    tallies.set(name, tally)
    tally.last = entry
    if (tally.written === linesPerKind) {
      tally.omitted += 1
      return
    }
    tally.written += 1
    write(entry)
  }
}

/** Lines of the same kind differ only in their request. */
function kindOfLine(observation: Observation): string {
  if (observation.kind === 'request') {
    const { status, route, decision } = observation
    return `request ${status} ${route} ${decision}`
  }
  return 'cause' in observation ? `${observation.kind} ${messageOf(observation.cause)}` : observation.kind
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
}
