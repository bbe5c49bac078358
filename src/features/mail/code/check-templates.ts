/** Checks the templates of mails that code sends: their words, their languages and their placeholders. */

import { canonicalTag } from '../../../definition/checks/languages.ts'
import { type FaultReport, prefixReport } from '../../../definition/definition-fault.ts'
import { findTemplateOptions } from '../../../definition/mail-template.ts'
import { didYouMean } from '../../../definition/name-suggestion.ts'
import {
  checkOptions,
  formatValue,
  isComplete,
  nonEmptyText,
  type OptionTable,
  objectOption,
  required,
} from '../../../definition/option-table.ts'
import { type MailTemplateModel, type TemplateText, unsubscribeName } from '../mail-model.ts'

const wordsTable = {
  subject: required(nonEmptyText, "Write: subject: 'Order {number}'."),
  text: required(nonEmptyText, "Write: text: 'Your order {number} was sent.'."),
  html: nonEmptyText,
} satisfies OptionTable

export const templateOptionTable = { ...wordsTable, languages: objectOption } satisfies OptionTable

/** Returns the templates by name; reports everything that is not valid. */
export function checkTemplates(
  given: Readonly<Record<string, unknown>> | undefined,
  reportFault: FaultReport,
): readonly MailTemplateModel[] {
  return Object.entries(given ?? {}).flatMap(([name, template]) => {
    const report = prefixReport(`templates.${name}`, reportFault)
    if (!/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name))
      report('The name of a template has up to 40 letters and digits.', "Write it like 'orderSent'.")
    const options = findTemplateOptions(template)
    if (options !== undefined) return checkTemplate({ name, declared: template, options }, report)
    report(
      `Not a template: ${formatValue(template)}.`,
      "Write: mailTemplate({ subject: 'Order {number}', text: '…' }).",
    )
    return []
  })
}

interface DeclaredTemplate extends Pick<MailTemplateModel, 'name' | 'declared'> {
  readonly options: unknown
}

function checkTemplate(
  { name, declared, options }: DeclaredTemplate,
  report: FaultReport,
): readonly MailTemplateModel[] {
  const { languages, ...words } = checkOptions(options, templateOptionTable, report)
  if (!isComplete(words, wordsTable)) return []
  const found = [...new Set(textsOf(words).flatMap((text) => findPlaceholders(text, report)))]
  const placeholders = found.filter((one) => one !== unsubscribeName)
  const canUnsubscribe = found.includes(unsubscribeName)
  const own = { tag: undefined, ...words }
  const others = Object.entries(languages ?? {}).flatMap(([tag, given]) =>
    checkLanguage(tag, given, { placeholders: found, report: prefixReport(`languages.${tag}`, report) }),
  )
  const texts = [own, ...others]
  if (canUnsubscribe) for (const text of texts) requireLink(text, report)
  return [{ name, declared, placeholders, canUnsubscribe, texts }]
}

/** A mail that can be unsubscribed from says so in each of its forms, and not in its subject. */
function requireLink({ tag, subject, text, html }: TemplateText, report: FaultReport): void {
  const link = `{${unsubscribeName}}`
  const place = tag === undefined ? '' : `languages.${tag}: `
  const lacks = [text, html].some((words) => words?.includes(link) === false)
  if (lacks)
    report(`${place}The words have no ${link}, but others of the template do.`, `Add ${link} to them.`)
  if (subject.includes(link)) report(`${place}The subject cannot have ${link}.`, 'Remove it.')
}

interface LanguagePlace {
  /** Those of the template itself. */
  readonly placeholders: readonly string[]
  readonly report: FaultReport
}

function checkLanguage(
  tag: string,
  given: unknown,
  { placeholders, report }: LanguagePlace,
): readonly TemplateText[] {
  const canonical = canonicalTag(tag)
  if (canonical !== tag)
    report(
      `'${tag}' is not a language tag (BCP 47).`,
      canonical === undefined ? "Write it like 'fr' or 'pt-BR'." : `Did you mean '${canonical}'?`,
    )
  const words = checkOptions(given, wordsTable, report)
  if (!isComplete(words, wordsTable)) return []
  for (const name of textsOf(words).flatMap((text) => findPlaceholders(text, report))) {
    if (placeholders.includes(name)) continue
    const known = placeholders.map((one) => `{${one}}`).join(', ')
    const expected = known === '' ? 'It has none.' : `Expected: ${known}.`
    report(`The template has no placeholder {${name}}.`, didYouMean(name, placeholders) ?? expected)
  }
  return [{ tag, ...words }]
}

function textsOf({ subject, text, html }: Omit<TemplateText, 'tag'>): readonly string[] {
  return html === undefined ? [subject, text] : [subject, text, html]
}

/** The names in braces; reports braces that have none. */
function findPlaceholders(text: string, report: FaultReport): readonly string[] {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const [other] = text.replace(/\{\w+\}/g, '').match(/[{}][^{}]{0,20}/) ?? []
  if (other !== undefined)
    report(
      `'${other}' is not a placeholder.`,
      "Write a placeholder like '{number}'. Other braces cannot be used.",
    )
  return names
}
