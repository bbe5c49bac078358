/** Checks the option `mail`: the sender, and the words of mails. */

import type { DeclaredAccounts } from '../../definition/checks/accounts.ts'
import type { CheckContext } from '../../definition/checks/check-context.ts'
import { mayPermitAnonymous } from '../../definition/checks/rule-audience.ts'
import { type FaultList, type FaultReport, prefixReport } from '../../definition/definition-fault.ts'
import {
  defaultMailTexts,
  kindsWithSecret,
  type MailKind,
  type MailText,
  mailKinds,
} from '../../definition/mail-texts.ts'
import { holdsMailAddress } from '../../definition/model.ts'
import {
  checkOptions,
  type Expectation,
  isComplete,
  nonEmptyText,
  type OptionTable,
  objectOption,
  required,
} from '../../definition/option-table.ts'
import type { Paths } from '../../definition/paths.ts'
import { checkTemplates } from './code/check-templates.ts'
import type { MailModel } from './mail-model.ts'

const senderAddress: Expectation<string> = {
  expected: "an address such as 'service@example.org', or 'Name <service@example.org>'",
  accepts: (value): value is string =>
    typeof value === 'string' && /^(?:[^<>\p{Cc}]* <)?[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+>?$/u.test(value),
}

export const mailOptionTable = {
  from: required(senderAddress, "Add from: 'service@example.org'."),
  texts: objectOption,
  templates: objectOption,
} satisfies OptionTable
const textOptionTable = { subject: nonEmptyText, text: nonEmptyText } satisfies OptionTable

interface MailCheckContext extends Pick<CheckContext, 'declarations' | 'faults'> {
  readonly paths: Paths
}

/** Returns the model; undefined for a service without mail. Mail needs accounts whose login is an address. */
export function checkMail(
  given: unknown,
  accounts: DeclaredAccounts | undefined,
  { declarations, faults, paths }: MailCheckContext,
): MailModel | undefined {
  if (accounts?.options.signUp !== undefined) checkSignUp(given, accounts, faults)
  if (given === undefined) return undefined
  const report = prefixReport('mail', faults.at())
  const options = checkOptions(given, mailOptionTable, report)
  if (!accounts) report('Mail needs accounts, but the service declares none.')
  else if (accounts.login && !holdsMailAddress(accounts.login)) {
    report(`Mail needs addresses, but the login '${accounts.login.name}' is not an email().`)
  }
  const reserved = [paths['password-resets'], paths.verifications, paths.invitations, paths.mails]
  for (const name of reserved.filter((one) => declarations.has(one))) {
    faults.at(name)(`The path /${name} is reserved: the definition declares mail.`, 'Choose another name.')
  }
  const texts = parseTexts(options.texts, report)
  const templates = checkTemplates(options.templates, report)
  return isComplete(options, mailOptionTable) ? { from: options.from, texts, templates } : undefined
}

/** Sign-up by mail needs mail, and a rule that lets people sign up. */
function checkSignUp(mail: unknown, { found }: DeclaredAccounts, faults: FaultList): void {
  const report = prefixReport('accounts', faults.at())
  if (mail === undefined) {
    report("signUp: 'by-mail' needs mail.", "Add mail: { from: 'service@example.org' } to the service.")
  }
  if (!found.resource || mayPermitAnonymous(found.resource.access.create)) return
  report(
    "signUp: 'by-mail' needs a rule that lets anonymous callers create accounts.",
    `Add create: anyone to the access of '${found.resource.name}', or remove signUp.`,
  )
}

function parseTexts(given: unknown, report: FaultReport): Readonly<Record<MailKind, MailText>> {
  const table = Object.fromEntries(mailKinds.map((kind) => [kind, objectOption]))
  const options = checkOptions(given, table, prefixReport('texts', report))
  const texts = mailKinds.map((kind): readonly [MailKind, MailText] => {
    const words = checkOptions(options[kind], textOptionTable, prefixReport(`texts.${kind}`, report))
    const text = { ...defaultMailTexts[kind], ...words }
    if (kindsWithSecret.has(kind) && !text.text.includes('{link}')) {
      report(`The text of '${kind}' has no link.`, 'Add {link} to it.')
    }
    return [kind, text]
  })
  return Object.fromEntries(texts) as Readonly<Record<MailKind, MailText>>
}
