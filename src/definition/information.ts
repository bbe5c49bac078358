/** The words of a definition about itself, for the `info` of OpenAPI: version, description, licence and contact. */

import { type FaultReport, prefixReport } from './definition-fault.ts'
import {
  checkOptions,
  type Expectation,
  isComplete,
  lineOfText,
  nonEmptyText,
  type Options,
  type OptionsOf,
  type OptionTable,
  objectOption,
  required,
} from './option-table.ts'

export interface InformationOptions {
  /** The version of the interface, such as `1.4.0`. */
  readonly version?: string
  /** The purpose of the service, in Markdown. */
  readonly description?: string
  /** An SPDX identifier such as `MIT`, or a name with a URI. */
  readonly licence?: string | LicenceOptions
  /** Whom to ask about the interface. */
  readonly contact?: ContactOptions
}

export interface LicenceOptions {
  readonly name: string
  readonly url: string
}

export interface ContactOptions {
  readonly name?: string
  readonly email?: string
  readonly url?: string
}

export interface InformationModel {
  readonly version: string | undefined
  readonly description: string | undefined
  readonly licence: LicenceModel | undefined
  readonly contact: ContactOptions | undefined
}

/** Either an SPDX identifier or a URI. */
export interface LicenceModel {
  readonly name: string
  readonly identifier?: string
  readonly url?: string
}

const webUri: Expectation<string> = {
  expected: "a URI such as 'https://example.org/'",
  accepts: (value): value is string =>
    typeof value === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value),
}

const mailAddress: Expectation<string> = {
  expected: "a mail address such as 'help@example.org'",
  accepts: (value): value is string => typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value),
}

export const informationOptionTable = {
  version: lineOfText(50),
  description: nonEmptyText,
  licence: {
    expected: "an SPDX identifier such as 'MIT', or { name, url }",
    accepts: (value): value is string | Options =>
      typeof value === 'string' ? /^[A-Za-z0-9.+-]+$/.test(value) : objectOption.accepts(value),
  },
  contact: objectOption,
} satisfies OptionTable

export const licenceOptionTable = {
  name: required(lineOfText(100)),
  url: required(webUri),
} satisfies OptionTable

export const contactOptionTable = {
  name: lineOfText(100),
  email: mailAddress,
  url: webUri,
} satisfies OptionTable

/** Returns the model; reports faults of the licence and of the contact. */
export function createInformationModel(
  { version, description, licence, contact }: OptionsOf<typeof informationOptionTable>,
  report: FaultReport,
): InformationModel {
  return {
    version,
    description,
    licence: createLicenceModel(licence, prefixReport('Licence', report)),
    contact: contact && checkOptions(contact, contactOptionTable, prefixReport('Contact', report)),
  }
}

function createLicenceModel(
  given: string | Options | undefined,
  report: FaultReport,
): LicenceModel | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string') return { name: given, identifier: given }
  const licence = checkOptions(given, licenceOptionTable, report)
  return isComplete(licence, licenceOptionTable) ? licence : undefined
}
