/** The log: one line for each happening at or above the level. */

import { type LogLevel, logLevels } from '../config.ts'
import type { Happening, Notice } from '../http/happening.ts'
import { styleText } from '../node-parts.ts'
import { type EntryFields, fieldsOf, levelOf } from './entry.ts'
import { kindOfLine, limitRepetition } from './repetition.ts'

export interface LogStream {
  /** Whether people read it: then lines are for them, else one JSON object each. */
  readonly isTTY?: boolean
  write(text: string): unknown
}

export function logTo(stream: LogStream, level: LogLevel, now: () => number): Notice {
  const threshold = logLevels.indexOf(level)
  const format = stream.isTTY ? formatReadable : formatJson
  const write = (entry: Entry) => stream.write(`${format(entry)}\n`)
  const repetition = limitRepetition((entry: Entry, omitted) => {
    write(omitted === 0 ? entry : { ...entry, fields: { ...entry.fields, repeated: omitted } })
  })
  return (happening) => {
    const level = levelOf(happening)
    if (logLevels.indexOf(level) < threshold) return
    const time = new Date(now())
    const entry = { time, level, event: happening.kind, fields: fieldsOf(happening) }
    if (limited.has(level)) repetition.admit(kindOfLine(happening), entry)
    else write(entry)
  }
}

/** The levels of lines that requests can cause at the default level. */
const limited: ReadonlySet<LogLevel> = new Set(['warn', 'error'])

export interface HeldBack {
  readonly notice: Notice
  release(): void
}

/** Keeps what happens while starting: should it fail, one message says why, and this is dropped. */
export function heldBack(notice: Notice): HeldBack {
  let held: Happening[] | undefined = []
  return {
    notice(happening) {
      if (held) held.push(happening)
      else notice(happening)
    },
    release() {
      for (const happening of held ?? []) notice(happening)
      held = undefined
    },
  }
}

interface Entry {
  readonly time: Date
  readonly level: LogLevel
  readonly event: string
  readonly fields: EntryFields
}

function formatJson({ time, level, event, fields }: Entry): string {
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
function formatReadable({ time, level, event, fields }: Entry): string {
  const { stack, ...others } = fields
  const words = Object.entries(others).map(
    ([name, value]) => `${styleText('dim', `${name}=`)}${formatValue(value)}`,
  )
  const clock = styleText('dim', time.toISOString().slice(11, 23))
  const line = [clock, styleText(styles[level], level.padEnd(5)), event, ...words].join(' ')
  return stack === undefined ? line : `${line}\n${indented(String(stack))}`
}

/** Quoted where it would not read as one word; control characters are escaped with it. */
function formatValue(value: string | number): string {
  const text = String(value)
  return /^[!#-~]+$/.test(text) ? text : JSON.stringify(text)
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
