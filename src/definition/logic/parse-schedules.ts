/** Reads the schedules of a resource. Reports what is not a schedule, and expressions that are not valid. */

import { type FaultReport, prefixReport } from '../definition-fault.ts'
import { formatValue, type Options, objectOption } from '../option-table.ts'
import { parseCron } from './cron.ts'
import type { LogicModel, ScheduleModel } from './logic-model.ts'

const example = "Write: schedules: { nightly: schedule('0 3 * * *', async (tools) => { … }) }."

export function parseSchedules(given: unknown, report: FaultReport): LogicModel['schedules'] {
  if (given === undefined) return {}
  if (!objectOption.accepts(given)) {
    report(`Must be an object, not ${formatValue(given)}.`, example)
    return {}
  }
  const schedules = Object.entries(given as Options).flatMap(([name, value]) => {
    const schedule = parseSchedule(name, value, prefixReport(name, report))
    return schedule ? [[name, schedule] as const] : []
  })
  return Object.fromEntries(schedules)
}

function parseSchedule(name: string, given: unknown, report: FaultReport): ScheduleModel | undefined {
  if (!/^[a-z][A-Za-z0-9]{0,19}$/.test(name)) {
    report('The name must be at most 20 letters and digits, beginning with a lower-case letter.')
    return undefined
  }
  const { cron: text, run } = Object(given) as Options
  if (typeof text !== 'string' || typeof run !== 'function') {
    report(`Not a schedule: ${formatValue(given)}.`, example)
    return undefined
  }
  const cron = parseCron(text)
  if (typeof cron === 'string') {
    report(cron, "Write it like '0 3 * * *': every day at 03:00 UTC.")
    return undefined
  }
  return { cron, text, run: run as ScheduleModel['run'] }
}
