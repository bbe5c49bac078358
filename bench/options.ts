/** Parses the command line of the bench. */

import { parseArgs } from 'node:util'
import { type Opponent, opponents } from './targets.ts'
import { type WorkloadName, workloadNames } from './workload.ts'

export const partNames = [
  'throughput',
  'demo',
  'growth',
  'workers',
  'latency',
  'crowd',
  'start',
  'definitions',
  'pages',
  'tenants',
  'derived',
  'postgres',
] as const
export type PartName = (typeof partNames)[number]

export interface Options {
  readonly parts: readonly PartName[]
  readonly only: readonly WorkloadName[]
  readonly against: readonly Opponent[]
  readonly rows: number
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly workers: number
  /** The folder for processor profiles of the service. */
  readonly profile: string | undefined
}

export const usage = `npm run bench -- [--quick]
  --quick            every workload at 1,000 rows, one short round: a first look
  --parts NAMES      of ${partNames.join(', ')}; all but postgres where it is not said
  --postgres         the part postgres: on a PostgreSQL that is started for it
  --only NAMES       of ${workloadNames.join(', ')}
  --against NAMES    of ${opponents.join(', ')}; 'none' for the service alone
  --rows N           100000 where it is not said; a power of ten from 1000 on
  --rounds N  --seconds N  --warm-up N    5, 2 and 4 where they are not said
  --workers N        processes of the service in the part workers, 2 where it is not said
  --profile FOLDER   processor profiles of the service are written there
Where --only, --against, --rows or --profile is given, only the part throughput is measured,
unless --parts names others.
`

const flags = {
  quick: { type: 'boolean', default: false },
  postgres: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  parts: { type: 'string' },
  only: { type: 'string' },
  against: { type: 'string' },
  rows: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  'warm-up': { type: 'string' },
  workers: { type: 'string' },
  profile: { type: 'string' },
} as const

/** The options are invalid; the message says why. */
export class OptionFault extends Error {}

/** Returns undefined for `--help`. Throws OptionFault for invalid options. */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parseFlags(args)
  if (values.help) return undefined
  const { quick } = values
  const few: readonly Opponent[] = ['http', 'sqlite', 'fastify']
  return {
    parts: readParts(values),
    only: readNames('--only', values.only, workloadNames) ?? workloadNames,
    against: readNames('--against', values.against, opponents) ?? (quick ? few : opponents),
    rows: readRows(values.rows ?? (quick ? '1000' : '100000')),
    rounds: readNumber('--rounds', values.rounds ?? (quick ? '1' : '5')),
    seconds: readNumber('--seconds', values.seconds ?? (quick ? '1' : '2')),
    warmUpSeconds: readNumber('--warm-up', values['warm-up'] ?? (quick ? '1' : '4')),
    workers: readNumber('--workers', values.workers ?? '2'),
    profile: values.profile,
  }
}

function parseFlags(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: flags }).values
  } catch (cause) {
    throw new OptionFault(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof flags }>>['values']

function readParts(values: Values): readonly PartName[] {
  const named = readNames('--parts', values.parts, partNames)
  if (named !== undefined) return named
  if (values.postgres) return ['postgres']
  const { quick, only, against, rows, profile } = values
  const narrow = [only, against, rows, profile].some((one) => one !== undefined)
  if (narrow) return ['throughput']
  if (quick) return ['throughput', 'start', 'pages']
  return partNames.filter((name) => name !== 'postgres')
}

function readNames<Name extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] | undefined {
  if (text === undefined) return undefined
  if (text === 'none') return []
  return text.split(',').map((given) => {
    const name = known.find((one) => one === given.trim())
    if (name === undefined) throw new OptionFault(`${flag} knows no '${given}', but ${known.join(', ')}.`)
    return name
  })
}

function readNumber(flag: string, text: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (number < 1) throw new OptionFault(`${flag} must be a whole number from 1 on, not '${text}'.`)
  return number
}

/** Stars are distributed evenly for powers of ten only. */
function readRows(text: string): number {
  if (/^10{3,6}$/.test(text)) return Number(text)
  throw new OptionFault(`--rows must be a power of ten from 1000 to 1000000, not '${text}'.`)
}
