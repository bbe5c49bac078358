/** Cron expressions of five fields (minute, hour, day, month, day of the week), in UTC. */

/** The values that each field allows. */
export interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** From 0, Sunday, to 6. */
  readonly weekdays: ReadonlySet<number>
  /** Whether a day matches by either of days and weekdays, because both are restricted. */
  readonly isEitherDay: boolean
}

interface CronField {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of values, from `min` on. */
  readonly names: readonly string[]
}

const cronFields: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { name: 'day of the week', min: 0, max: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
]

/** The expression, or a text that says what is wrong with it. */
export function parseCron(text: string): Cron | string {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== cronFields.length) {
    const names = cronFields.map(({ name }) => name).join(', ')
    return `'${text}' must have five fields: ${names}.`
  }
  const sets: ReadonlySet<number>[] = []
  for (const [at, field] of cronFields.entries()) {
    const values = parseField(field, parts[at] ?? '')
    if (typeof values === 'string') return values
    sets.push(values)
  }
  const [minutes, hours, days, months, given] = sets as [Values, Values, Values, Values, Values]
  const weekdays = new Set([...given].map((day) => day % 7))
  const isEitherDay = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*')
  const cron = { minutes, hours, days, months, weekdays, isEitherDay }
  return findNextTime(cron, 0) === undefined ? `'${text}' never comes: no month has such a day.` : cron
}

type Values = ReadonlySet<number>

function parseField(field: CronField, text: string): Values | string {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const range = parseRange(field, part)
    if (!range) {
      return `The ${field.name} must be from ${field.min} to ${field.max}, such as *, 5, 1-5, */2 or 1,3, not '${text}'.`
    }
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
  }
  return values
}

function parseRange(field: CronField, part: string) {
  const [, all, first = '', last, step] =
    /^(?:(\*)|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/(\d{1,2}))?$/i.exec(part) ?? []
  const from = all ? field.min : parseValue(field, first)
  const to = all ? field.max : last === undefined ? from : parseValue(field, last)
  const every = step === undefined ? 1 : Number(step)
  // A step needs a range: `5/10` has several readings.
  const hasRange = all !== undefined || last !== undefined
  if (from === undefined || to === undefined || from > to || every < 1) return undefined
  return step !== undefined && !hasRange ? undefined : { from, to, step: every }
}

function parseValue({ min, max, names }: CronField, text: string): number | undefined {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return min + named
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

const day = 86_400_000
/** The 29th of February may be eight years away. */
const maxDays = 8 * 366 + 1

/** The first time after a time, in milliseconds since 1970; undefined where there is none. */
export function findNextTime(cron: Cron, after: number): number | undefined {
  const midnight = Math.floor(after / day) * day
  for (let days = 0; days <= maxDays; days += 1) {
    const date = midnight + days * day
    if (!isDay(cron, new Date(date))) continue
    const time = findTimeOfDay(cron, date, after)
    if (time !== undefined) return time
  }
  return undefined
}

function isDay({ days, months, weekdays, isEitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false
  const [isMonthDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
  return isEitherDay ? isMonthDay || isWeekday : isMonthDay && isWeekday
}

function findTimeOfDay({ hours, minutes }: Cron, midnight: number, after: number): number | undefined {
  let first: number | undefined
  for (const hour of hours) {
    for (const minute of minutes) {
      const time = midnight + (hour * 60 + minute) * 60_000
      if (time > after && (first === undefined || time < first)) first = time
    }
  }
  return first
}
