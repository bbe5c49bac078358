/** Checks the routes of a definition: their paths, their options, and the signatures that they verify. */

import { type FaultReport, prefixReport } from '../../definition/definition-fault.ts'
import type { DeclaredService } from '../../definition/definition-part.ts'
import { durationOption, parseDuration } from '../../definition/duration.ts'
import { findRouteOptions } from '../../definition/logic/route.ts'
import { createHmacModel, type HmacModel } from '../../definition/logic/signature.ts'
import { findVerifier } from '../../definition/logic/verify.ts'
import { octetSizeOption, parseOctetSize } from '../../definition/octet-size.ts'
import {
  anyValue,
  booleanOption,
  checkOptions,
  type Expectation,
  formatValue,
  functionOf,
  isComplete,
  nonEmptyText,
  type OptionTable,
  objectOption,
  oneOf,
  required,
} from '../../definition/option-table.ts'
import { parseOptionalRule } from '../../definition/parse-rules.ts'
import { isReservedSegment, maxRouteLength } from '../../definition/paths.ts'
import type { Variable } from '../../definition/provider.ts'
import { anyone, nobody } from '../../definition/rule-functions.ts'
import type { RouteModel, VerifierModel, VerifyingCode } from './route-model.ts'

type RoutePlace = Pick<DeclaredService, 'accounts' | 'declarations' | 'paths'>

const example = "Write: '/': { routes: { '/hooks/orders': route({ methods: ['POST'], … }) } }."

/** Returns the routes; reports everything that is not valid. */
export function checkRoutes(given: unknown, place: RoutePlace, report: FaultReport): readonly RouteModel[] {
  if (given === undefined) return []
  if (!objectOption.accepts(given)) {
    report(`'routes' must be an object, not ${formatValue(given)}.`, example)
    return []
  }
  return Object.entries(given).flatMap(([path, value]) => {
    const reportRoute = prefixReport(`Route '${path}'`, report)
    checkPath(path, place, reportRoute)
    const route = checkRoute(value, place, reportRoute)
    return route ? [{ path, ...route }] : []
  })
}

const pathPattern = /^(?:\/[A-Za-z0-9][A-Za-z0-9._~-]*)+(?:\/\*)?$/

function checkPath(path: string, { declarations, paths }: RoutePlace, report: FaultReport): void {
  if (!pathPattern.test(path) || path.length > maxRouteLength) {
    const better = `/${path.replace(/^\/+|\/+$/g, '')}`
    const isFixed = better !== path && pathPattern.test(better)
    report(
      `A path has segments of letters, digits, '.', '_', '~' and '-', at most ${maxRouteLength} characters, and may end in '/*'.`,
      isFixed ? `Did you mean '${better}'?` : "Write it like '/hooks/orders'.",
    )
    return
  }
  const [, first = ''] = path.split('/')
  const isFormer = [...declarations.values()].some(({ options }) => options.formerly?.includes(first))
  if (declarations.has(first) || isFormer) {
    report(`The paths below /${first} are those of a collection.`, 'Choose another first segment.')
  } else if (isReservedSegment(first, paths)) {
    report(`The path /${first} is reserved.`, 'Choose another first segment.')
  }
}

const methodNames = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const methodsOption: Expectation<readonly (typeof methodNames)[number][]> = {
  expected: `a list of methods, of ${methodNames.join(', ')}`,
  accepts: (value): value is readonly (typeof methodNames)[number][] =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => methodNames.includes(one)),
}

export const routeOptionTable = {
  methods: required(methodsOption, "Write: methods: ['POST']."),
  by: anyValue,
  verify: anyValue,
  once: functionOf<NonNullable<RouteModel['once']>>(),
  maxSize: octetSizeOption('10 MB'),
  cookie: booleanOption,
  time: durationOption('1 second', '1 minute'),
  run: required(functionOf<RouteModel['run']>(), 'Write: run(request, tools) { … }.'),
} satisfies OptionTable

function checkRoute(
  given: unknown,
  { accounts }: RoutePlace,
  report: FaultReport,
): Omit<RouteModel, 'path'> | undefined {
  const options = findRouteOptions(given)
  if (options === undefined) {
    report(`Not a route: ${formatValue(given)}.`, "Write: route({ methods: ['POST'], run(request) { … } }).")
    return undefined
  }
  const valid = checkOptions(options, routeOptionTable, report)
  const { once, maxSize = '1 MB', cookie = false, time = '10 seconds' } = valid
  const verify = checkVerifier(valid.verify, prefixReport("'verify'", report))
  const by =
    parseOptionalRule(valid.by, prefixReport("'by'", report)) ??
    (valid.verify === undefined ? nobody : anyone)
  if (cookie && accounts === undefined) {
    report("'cookie' needs accounts, but the service declares none.")
  }
  if (once && valid.verify === undefined) {
    report("'once' needs the event of 'verify'.", "Write: verify: standardWebhooks(env('SECRET')).")
  }
  if (!isComplete(valid, routeOptionTable)) return undefined
  const { methods, run } = valid
  const limits = { maxSize: parseOctetSize(maxSize) ?? 0, time: (parseDuration(time) ?? 0) * 1000 }
  return { methods, by, verify, once, cookie, ...limits, run }
}

const variable: Expectation<Variable | readonly Variable[]> = {
  expected: "a variable of the environment, such as env('WEBHOOK_SECRET'), or a list of them",
  accepts: (value): value is Variable | readonly Variable[] => {
    const all = [value].flat()
    return (
      all.length > 0 && all.every((one) => objectOption.accepts(one) && nonEmptyText.accepts(one.variable))
    )
  },
}

const commonTable = {
  secret: required(variable, "Write: env('WEBHOOK_SECRET')."),
  parse: functionOf<NonNullable<VerifierModel['parse']>>(),
  tolerance: durationOption('1 minute', '1 day'),
} satisfies OptionTable

const fieldName: Expectation<string> = {
  expected: 'the name of a header field',
  accepts: (value): value is string => typeof value === 'string' && /^[A-Za-z0-9-]{1,100}$/.test(value),
}

export const hmacOptionTable = {
  ...commonTable,
  header: required(fieldName, "Write: header: 'X-Signature'."),
  prefix: nonEmptyText,
  algorithm: oneOf('sha1', 'sha256', 'sha512'),
  encoding: oneOf('hex', 'base64'),
  timestamp: fieldName,
  id: fieldName,
  type: fieldName,
  signed: functionOf<NonNullable<HmacModel['signed']>>(),
} satisfies OptionTable

const verifyingCode = functionOf<VerifyingCode>()

function checkVerifier(given: unknown, report: FaultReport): RouteModel['verify'] {
  if (given === undefined) return undefined
  if (verifyingCode.accepts(given)) return given
  const declared = findVerifier(given)
  if (!declared) {
    report(
      `Not a verifier: ${formatValue(given)}.`,
      'Use stripe(), github(), standardWebhooks(), hmac(), or a function.',
    )
    return undefined
  }
  const { scheme, options } = declared
  const table = scheme === 'hmac' ? hmacOptionTable : commonTable
  const valid = checkOptions(options, table, report)
  const hmac = scheme === 'hmac' ? checkHmac(options, report) : undefined
  if (scheme === 'github' && valid.tolerance !== undefined) {
    report("'tolerance' has no meaning: GitHub signs no time.", 'Remove it.')
  }
  if (!isComplete(valid, table)) return undefined
  const { secret, parse, tolerance = '5 minutes' } = valid
  return { scheme, secrets: [secret].flat(), tolerance: parseDuration(tolerance) ?? 0, parse, hmac }
}

/** The options of `hmac`, whose faults are reported already. */
function checkHmac(options: object, report: FaultReport): HmacModel | undefined {
  const valid = checkOptions(options, hmacOptionTable, () => undefined)
  if (!isComplete(valid, hmacOptionTable)) return undefined
  if (valid.timestamp !== undefined && !isTimeSigned(valid.signed)) {
    report(
      "With 'timestamp' the signed text must contain the time.",
      "Write: signed: ({ timestamp, content }) => [timestamp, content].join('.').",
    )
  }
  if (valid.tolerance !== undefined && valid.timestamp === undefined) {
    report("'tolerance' needs the time of signing.", "Write: timestamp: 'X-Timestamp'.")
  }
  return createHmacModel(valid)
}

/** Tried with two times: a signature without the time would be valid for ever. Code that fails on the example passes. */
function isTimeSigned(signed: HmacModel['signed']): boolean {
  if (!signed) return false
  const textAt = (timestamp: string) => String(signed({ content: '{}', timestamp, id: '1' }))
  try {
    return textAt('1') !== textAt('2')
  } catch {
    return true
  }
}
