/** Checks the option `issuers`: the trusted issuers of JSON Web Tokens. */

import { isLoopback } from '../../http/ip-network.ts'
import { type FaultList, type FaultReport, prefixReport } from '../definition-fault.ts'
import type { IssuerModel } from '../issuer-model.ts'
import { didYouMean } from '../name-suggestion.ts'
import {
  checkOptions,
  type Expectation,
  isComplete,
  nonEmptyText,
  type OptionTable,
  required,
} from '../option-table.ts'

/** Signatures with a key pair only: a shared secret would also allow creating tokens. */
const algorithms: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const someWords: Expectation<string | readonly string[]> = {
  expected: 'a text, or a list of texts',
  accepts: (value): value is string | readonly string[] =>
    [value].flat().length > 0 && [value].flat().every(nonEmptyText.accepts),
}

const issuerOptions = {
  issuer: required(nonEmptyText),
  audience: required(someWords),
  jwks: required(nonEmptyText),
  algorithms: required(someWords),
  login: nonEmptyText,
  roles: nonEmptyText,
} satisfies OptionTable

/** Returns the models of the issuers without faults; reports the others. */
export function checkIssuers(given: unknown, accounts: boolean, faults: FaultList): IssuerModel[] {
  if (given === undefined) return []
  const report = prefixReport('issuers', faults.at())
  if (!Array.isArray(given)) {
    report('Must be a list.')
    return []
  }
  const issuers = given.flatMap((one) => checkIssuer(one, accounts, report))
  const names = issuers.map(({ issuer }) => issuer)
  for (const twice of names.filter((name, at) => names.indexOf(name) !== at)) {
    report(`The issuer '${twice}' is declared twice.`)
  }
  return issuers
}

function checkIssuer(given: unknown, accounts: boolean, report: FaultReport): IssuerModel[] {
  const options = checkOptions(given, issuerOptions, report)
  if (!isComplete(options, issuerOptions)) return []
  const { issuer, audience, jwks, login, roles } = options
  if (login !== undefined && !accounts) {
    report("The option 'login' needs accounts, but the service declares none.")
  }
  if (!isTrustworthyUri(jwks))
    report(`The option 'jwks' must be an https URI, or http on this machine, not '${jwks}'.`)
  const listed = [options.algorithms].flat()
  for (const name of listed.filter((one) => !algorithms.includes(one))) {
    report(
      `Unknown algorithm '${name}'.`,
      didYouMean(name, algorithms) ?? `Expected: ${algorithms.join(', ')}.`,
    )
  }
  return [{ issuer, audience: [audience].flat(), jwks, algorithms: listed, login, roles }]
}

/** Keys must come over TLS, or from this machine. */
export function isTrustworthyUri(uri: string): boolean {
  const url = URL.parse(uri)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}
