/** Checks the providers that people sign in with, of the option `signIn`. */

import type { DeclaredAccounts } from '../../definition/checks/accounts.ts'
import { isTrustworthyUri } from '../../definition/checks/issuers.ts'
import { type FaultList, type FaultReport, prefixReport } from '../../definition/definition-fault.ts'
import { holdsMailAddress } from '../../definition/model.ts'
import {
  anyValue,
  booleanOption,
  checkOptions,
  type Expectation,
  isComplete,
  nonEmptyText,
  type OptionTable,
  objectOption,
  required,
} from '../../definition/option-table.ts'
import { isSegment } from '../../definition/paths.ts'
import type { Variable } from '../../definition/provider.ts'
import type { ProviderModel } from './provider-model.ts'

const variable: Expectation<Variable> = {
  expected: "a variable of the environment, such as env('CLIENT_SECRET')",
  accepts: isVariable,
}

/** Segments after `/sign-in/` that the service has itself. */
const ownSegments: ReadonlySet<string> = new Set(['second-factor', 'passkey', 'passkeys'])

const nameOption: Expectation<string> = {
  expected: "a path segment in lower case with hyphens, such as 'google', and none of the service itself",
  accepts: (value): value is string =>
    typeof value === 'string' && isSegment(value) && !ownSegments.has(value),
}

const clientOptions = {
  clientId: required({
    expected: "a text, or a variable of the environment, such as env('CLIENT_ID')",
    accepts: (value): value is string | Variable => nonEmptyText.accepts(value) || isVariable(value),
  }),
  clientSecret: required(variable),
  provision: booleanOption,
} satisfies OptionTable

export const oidcOptionTable = {
  kind: anyValue,
  name: required(nameOption),
  issuer: required({
    expected: 'an https URI, or http on this machine',
    accepts: (value): value is string => typeof value === 'string' && isTrustworthyUri(value),
  }),
  ...clientOptions,
} satisfies OptionTable

export const oauthOptionTable = {
  kind: anyValue,
  preset: required({
    expected: "'github'",
    accepts: (value): value is 'github' => value === 'github',
  }),
  name: nameOption,
  url: {
    expected: "an https origin, such as 'https://github.example.org', or http on this machine",
    accepts: (value): value is string =>
      typeof value === 'string' && isTrustworthyUri(value) && new URL(value).origin === value,
  },
  ...clientOptions,
} satisfies OptionTable

function isVariable(value: unknown): value is Variable {
  const { variable: name } = (value ?? {}) as { readonly variable?: unknown }
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

/** Returns the models of the providers without faults; none for a service without the option. */
export function checkProviders(
  given: unknown,
  accounts: DeclaredAccounts | undefined,
  faults: FaultList,
): readonly ProviderModel[] {
  if (given === undefined) return []
  const report = prefixReport('signIn', faults.at())
  if (!Array.isArray(given) || given.length === 0) {
    report("The option 'providers' must be a list of providers.", 'Write providers: [oidc({ … })].')
    return []
  }
  const models = given.flatMap((one) => checkProvider(one, accounts, report))
  const names = models.map(({ name }) => name)
  for (const twice of new Set(names.filter((name, at) => names.indexOf(name) !== at))) {
    report(`The provider '${twice}' is declared twice.`)
  }
  return models
}

function checkProvider(
  given: unknown,
  accounts: DeclaredAccounts | undefined,
  report: FaultReport,
): readonly ProviderModel[] {
  if (!objectOption.accepts(given) || (given.kind !== 'oidc' && given.kind !== 'oauth')) {
    report('Not a provider.', 'Declare it with oidc({ … }), or oauth({ … }).')
    return []
  }
  const model = given.kind === 'oauth' ? parseOAuth(given, report) : parseOidc(given, report)
  const isEmail = accounts?.login === undefined || holdsMailAddress(accounts.login)
  if (given.provision === true && !isEmail) {
    report(`The option 'provision' needs a login that is an email().`)
  }
  return model ? [model] : []
}

function parseOidc(given: unknown, report: FaultReport): ProviderModel | undefined {
  const options = checkOptions(given, oidcOptionTable, report)
  if (!isComplete(options, oidcOptionTable)) return undefined
  const { name, issuer, clientId, clientSecret, provision = false } = options
  return { name, kind: 'oidc', issuer, clientId, clientSecret, provision }
}

function parseOAuth(given: unknown, report: FaultReport): ProviderModel | undefined {
  const options = checkOptions(given, oauthOptionTable, report)
  if (!isComplete(options, oauthOptionTable)) return undefined
  const {
    preset,
    name = preset,
    url = 'https://github.com',
    clientId,
    clientSecret,
    provision = false,
  } = options
  return { name, kind: preset, issuer: url, clientId, clientSecret, provision }
}
