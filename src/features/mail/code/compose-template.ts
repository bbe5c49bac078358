/** The subject, the text and the HTML of a mail that code sends. */

import { escapeText, html, type Markup, trustedMarkup } from '../../../html/markup/markup.ts'
import { negotiateLanguage } from '../../../http/accept-language.ts'
import { type ComposedContent, htmlDocument, paragraphsOf, subjectLine } from '../compose-mail.ts'
import { type MailTemplateModel, type TemplateText, unsubscribeName } from '../mail-model.ts'

export type MailData = Readonly<Record<string, string | number>>

interface TemplateValues {
  readonly data: MailData
  readonly language: string | undefined
  /** The text that the link to unsubscribe replaces later. */
  readonly link: string
}

/** Fills the words in the language, else those of the template itself. Values are escaped in the HTML. */
export function composeTemplate(
  { texts }: MailTemplateModel,
  { data: given, language, link }: TemplateValues,
): ComposedContent {
  const data: MailData = { ...given, [unsubscribeName]: link }
  const { tag, subject, text, html: markup } = chooseText(texts, language)
  const fill = (words: string) => words.replace(placeholder, (_, name: string) => String(data[name]))
  const filledSubject = subjectLine(fill(subject))
  return {
    subject: filledSubject,
    text: fill(text),
    html: htmlDocument({
      tag,
      title: filledSubject,
      content:
        markup === undefined ? paragraphsOf(text, (words) => linked(words, data)) : escaped(markup, data),
    }),
  }
}

const placeholder = /\{(\w+)\}/g

function chooseText(texts: readonly TemplateText[], language: string | undefined): TemplateText {
  const [own, ...others] = texts
  if (!own) throw new Error('A template has words')
  const tag = negotiateLanguage(language ?? '', ['', ...others.map((one) => one.tag ?? '')])
  return others.find((one) => one.tag === tag) ?? own
}

/** The HTML of the template. In a quoted attribute a value cannot end it. */
function escaped(words: string, data: MailData): Markup {
  return trustedMarkup(words.replace(placeholder, (_, name: string) => escapeText(String(data[name]))))
}

/** A line of text, in which values that are URIs become links. */
function linked(words: string, data: MailData): Markup {
  const parts = words.split(placeholder).map((part, index) => {
    if (index % 2 === 0) return part
    const value = String(data[part])
    if (part === unsubscribeName) return html`<a href="${value}">${value}</a>`
    return /^https?:\/\/[^\s<>"]+$/i.test(value) ? html`<a href="${value}">${value}</a>` : value
  })
  return html`${parts}`
}
