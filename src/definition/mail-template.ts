/** Mails that the code of a definition sends: texts with placeholders, whose data have types. */

/** By `Symbol.for`, so that templates of another copy of this package are recognised. */
export const mailTemplateBrand: unique symbol = Symbol.for('restwell.mail-template')

declare const placeholders: unique symbol

/** The names in braces of a text. */
type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** Those that code gives values for: the service itself has the link to unsubscribe. */
type DataNames<Text> = Exclude<NamesIn<Text>, 'unsubscribe'>

/**
 * The words of a mail in one language: `{number}` is replaced by the value of `number`, and `{unsubscribe}` by a link.
 * A mail with that link gets a `List-Unsubscribe` field.
 */
export interface TemplateWords {
  readonly subject: string
  readonly text: string
  /** The content as HTML, in which values are escaped; made of `text` by default. */
  readonly html?: string
}

export interface TemplateOptions extends TemplateWords {
  /** The words in other languages, by language tag. */
  readonly languages?: { readonly [tag: string]: TemplateWords }
}

/**
 * A mail, as `mailTemplate` returns it. Its type has the names of its placeholders.
 * @example
 * import { type MailTemplate, mailTemplate } from 'restwell'
 *
 * const late: MailTemplate<'number'> = mailTemplate({ subject: 'Late', text: 'Ticket {number} is late.' })
 */
export interface MailTemplate<Names extends string = string> {
  readonly [mailTemplateBrand]: unknown
  readonly [placeholders]?: (names: Names) => void
}

/** A template of any placeholders. */
export type AnyMailTemplate = Pick<MailTemplate, typeof mailTemplateBrand>

/**
 * Declares a mail that code sends with the tool `mail`. Nothing is checked here: `templates` of the option `mail` has
 * it, where it is checked when the service starts.
 * @example
 * const answered = mailTemplate({ subject: 'Re: {title}', text: 'There is an answer: {link}' })
 */
export function mailTemplate<const T extends TemplateOptions>(
  options: T,
): MailTemplate<DataNames<T['subject'] | T['text'] | T['html']>> {
  return Object.freeze({ [mailTemplateBrand]: options })
}

/** The options of a template; undefined where the value is none. */
export function findTemplateOptions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(mailTemplateBrand in value)) return undefined
  return value[mailTemplateBrand]
}

/** The tool `mail` of hooks, actions, routes, jobs and schedules. */
export interface MailTool {
  /**
   * Queues a mail with the writes of the code: it is sent after they are committed, and not at all where they are
   * refused. A key that was used in 30 days for the template and the address sends nothing, and so does an address that
   * has unsubscribed. Rejects where the address is none (422), and after 50 mails to it within an hour (429).
   */
  send<Names extends string>(
    template: MailTemplate<Names>,
    mail: {
      /** The address of the receiver. */
      readonly to: string
      /** Names what the mail is about, such as the id of an item. */
      readonly key: string
      readonly data: { readonly [N in Names]: string | number }
      /** The tag of the receiver's language; without it, and for others, the words are those of the template itself. */
      readonly language?: string
    },
  ): Promise<void>
}
