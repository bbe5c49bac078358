/** The option `paths`: other first path segments for built-in collections and documents. */

import type { FaultReport } from './definition-fault.ts'
import { didYouMean } from './name-suggestion.ts'
import { formatValue, objectOption } from './option-table.ts'

/** The built-in collections and documents that can be moved: those of every service, and those of some. */
const everyService = ['events', 'webhooks', 'audit', 'batch', 'relations'] as const
const ofMails = ['password-resets', 'verifications', 'invitations', 'mails', 'sign-in-links'] as const
const whereUsed = ['jobs', 'uploads', ...ofMails] as const
export const movableNames = [...everyService, ...whereUsed] as const

export type MovableName = (typeof movableNames)[number]

/** The first path segment of each. */
export type Paths = Readonly<Record<MovableName, string>>

const defaultPaths = Object.fromEntries(movableNames.map((name) => [name, name])) as Paths

/** Returns the segments; reports unknown names, malformed segments and those that are used twice. */
export function parsePaths(value: unknown, report: FaultReport): Paths {
  if (value === undefined) return defaultPaths
  if (!objectOption.accepts(value)) {
    report(`The option 'paths' must be ${objectOption.expected}, not ${formatValue(value)}.`)
    return defaultPaths
  }
  const given = Object.entries(value).filter(([name, segment]) => isMovable(name, segment, report))
  const paths = { ...defaultPaths, ...Object.fromEntries(given) } as Paths
  for (const [name, segment] of given) {
    const other = movableNames.find((one) => one !== name && paths[one] === segment)
    if (other !== undefined) report(`paths.${name}: /${segment} is the path of '${other}' too.`)
  }
  return paths
}

function isMovable(name: string, segment: unknown, report: FaultReport): boolean {
  if (!movableNames.some((one) => one === name)) {
    const expected = `Expected: ${movableNames.join(', ')}.`
    report(`paths.${name}: nothing of this name can be moved.`, didYouMean(name, movableNames) ?? expected)
    return false
  }
  const isTaken =
    typeof segment === 'string' &&
    (fixedSegments.has(segment) || (clientMembers.has(segment) && segment !== name))
  if (typeof segment === 'string' && isSegment(segment) && !isTaken) return true
  const reason = isTaken
    ? `the path /${segment} is reserved`
    : `must be a path segment in lower case with hyphens, not ${formatValue(segment)}`
  report(`paths.${name}: ${reason}.`, "Write it like paths: { jobs: 'runs' }.")
  return false
}

/** Whether the text has the form of the name of a collection. */
export function isSegment(text: string): boolean {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) && text.length <= maxNameLength
}

/** The members of the client beside the collections, of those that have the form of a name. */
export const clientMembers: ReadonlySet<string> = new Set(['batch', 'session', 'then'])

/** Databases truncate longer identifiers. */
export const maxNameLength = 63
/** Of the path of a route in a definition, in characters. */
export const maxRouteLength = 200

/**
 * The segment below which the service has resources of its own, such as `/tasks/{id}/-/links`. It is no name and no key,
 * so that no later version of the service can take the URI of an item.
 */
export const reservedSegment = '-'

/** First path segments of documents that cannot be moved. */
const fixedSegments: ReadonlySet<string> = new Set(
  'tokens openapi.json schemas client.js client.d.ts docs problems .well-known sign-in sign-out forms health metrics status assets'.split(
    ' ',
  ),
)

/** Whether no collection of any service can have the name. */
export function isReservedSegment(name: string, paths: Paths): boolean {
  return fixedSegments.has(name) || everyService.some((one) => paths[one] === name)
}
