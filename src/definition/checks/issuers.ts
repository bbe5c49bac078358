/** The issuers of JSON Web Tokens: whom to believe, by which keys, and in what. */

import { isLoopback } from '../../http/ip-network.ts'
import type { FaultList, FaultReport } from '../definition-fault.ts'
import type { IssuerModel } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import { checkOptions, type Expectation, nonEmptyText, type OptionTable } from '../option-table.ts'

/** By key pair only: with a shared secret whoever can check a token could also make one. */
const algorithms: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const someWords: Expectation = {
  expected: 'a text, or a list of texts',
  accepts: (value) => [value].flat().length > 0 && [value].flat().every(nonEmptyText.accepts),
}

const issuerOptions: OptionTable = {
  issuer: nonEmptyText,
  audience: someWords,
  jwks: nonEmptyText,
  algorithms: someWords,
  login: nonEmptyText,
  roles: nonEmptyText,
}

export function checkIssuers(given: unknown, accounts: boolean, faults: FaultList): IssuerModel[] {
  if (given === undefined) return []
  const report: FaultReport = (reason, suggestion) => faults.at()(`issuers: ${reason}`, suggestion)
  if (!Array.isArray(given)) {
    report('Must be a list.')
    return []
  }
  const issuers = given.flatMap((one) => checkIssuer(one, accounts, report))
  const names = issuers.map(({ issuer }) => issuer)
  for (const twice of names.filter((name, at) => names.indexOf(name) !== at)) {
    report(`'${twice}' is there twice.`)
  }
  return issuers
}

function checkIssuer(given: unknown, accounts: boolean, report: FaultReport): IssuerModel[] {
  const options = checkOptions(given, issuerOptions, report)
  const needed = ['issuer', 'audience', 'jwks', 'algorithms']
  const missing = needed.filter((name) => options[name] === undefined)
  for (const name of missing) report(`The option '${name}' is missing.`)
  if (missing.length > 0) return []
  if (options.login !== undefined && !accounts) {
    report("The option 'login' needs accounts, and the service declares none.")
  }
  const jwks = options.jwks as string
  if (!isTrustworthy(jwks)) report(`'${jwks}' must be an https URI, or http on this machine.`)
  const listed = [options.algorithms].flat() as string[]
  for (const name of listed.filter((one) => !algorithms.includes(one))) {
    report(`No algorithm '${name}' here.`, didYouMean(name, algorithms))
  }
  return [
    {
      issuer: options.issuer as string,
      audience: [options.audience].flat() as string[],
      jwks,
      algorithms: listed,
      login: options.login as string | undefined,
      roles: options.roles as string | undefined,
    },
  ]
}

/** Keys that came over an open network could be anyone's. */
function isTrustworthy(uri: string): boolean {
  const url = URL.parse(uri)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}
