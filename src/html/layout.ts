/**
 * The layout of every HTML page: head, banner, menu and account. The menu is a popover, because a stylesheet cannot
 * show a closed `details` as a sidebar in every browser.
 */

import { isPermittedAdmin } from '../access/access-refusal.ts'
import { rightsOf } from '../access/rights.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import { parseQueryString } from '../http/query-string.ts'
import { formatPath } from '../http/request-target.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { relationName } from '../views/link-relation.ts'
import {
  auditUri,
  collectionUri,
  docsUri,
  formUriOf,
  homeUri,
  invitationsUri,
  passkeyUri,
  passwordResetsUri,
  problemsUri,
  secondFactorUri,
  signInLinksUri,
  signInUri,
  signOutUri,
  statusUri,
  verificationsUri,
} from '../views/uri.ts'
import { type Asset, icon, script, scriptTexts, stylesheet } from './assets.ts'
import { noticeMarkup } from './forms/notice-markup.ts'
import type { Language } from './languages/language.ts'
import type { PageLayout } from './loading/page-layout.ts'
import { collectionLabel, labelOfCollection } from './markup/collection-nouns.ts'
import { html, type Markup, type MarkupPart, trustedMarkup } from './markup/markup.ts'
import { pageLanguage, phrase, translated } from './page-language.ts'

export interface HtmlPage {
  readonly title: string
  readonly main: MarkupPart
  /** The language of its content, if it is not the reader's. */
  readonly language?: 'en'
  /** Seconds after which a browser without script loads the page again; undefined: it does not. */
  readonly refresh?: number | undefined
  /** The end of the page. */
  readonly footer?: Markup | undefined
}

/** Renders the complete HTML document. */
export function renderPage(layout: PageLayout, page: HtmlPage): string {
  const { title, main, refresh, language, footer } = page
  // The script would send requests with the rights of the administrator.
  const { model, viewedAs } = layout
  const service = translated(model.title)
  const name = title === service ? title : `${title} · ${service}`
  return html`<!doctype html>
<html lang="${pageLanguage().tag}"${direction()}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>\n`}<link rel="icon" href="${assetUri(model, icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUri(model, stylesheet)}">
${viewedAs === undefined && html`${textsOfScript()}<script type="module" src="${assetUri(model, script)}"></script>\n`}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${banner(layout)}
${menu(layout)}
<main id="main" tabindex="-1"${language !== undefined && language !== pageLanguage().tag && html` lang="${language}"`}>
${layout.notice && noticeMarkup(layout, layout.notice)}${viewedAs === undefined ? main : previewMarkup(layout, main)}
${footer}
</main>
</body>
</html>
`.text
}

/** The translated texts of the script, as data; undefined for English, the language of the script. */
function textsOfScript(): Markup | undefined {
  const language = pageLanguage()
  return language.isTranslated ? scriptTextsIn(language) : undefined
}

const scriptTextsIn = memoizeByObject((language: Language): Markup => {
  const texts = scriptTexts.flatMap((text) => {
    const found = language.find(text)
    return found === undefined ? [] : [[text, found]]
  })
  const json = JSON.stringify(Object.fromEntries(texts)).replaceAll('<', '\\u003c')
  return html`<script type="application/json" id="texts">${trustedMarkup(json)}</script>\n`
})

/** The attribute `dir` of languages that are written from right to left. */
function direction(): Markup | undefined {
  return isRightToLeft(pageLanguage()) ? html` dir="rtl"` : undefined
}

const isRightToLeft = memoizeByObject(
  ({ tag }: Language): boolean => new Intl.Locale(tag).getTextInfo().direction === 'rtl',
)

export function assetUri({ base }: Model, { name }: Asset): string {
  return formatPath(base, ['assets', name])
}

/** The title of the service, the button of the menu on narrow screens, and the account. */
function banner(layout: PageLayout): Markup {
  const { model, uri } = layout
  const home = homeUri(model)
  return html`<header class="banner">
<button class="quiet menu-button" popovertarget="menu">Menu</button>
<a class="brand" href="${home}"${uri === home && html` aria-current="page"`}>${translated(model.title)}</a>
${accountMenu(layout)}
</header>`
}

/** Popovers open without a script. Wide screens always show the menu, as a sidebar. */
function menu(layout: PageLayout): Markup {
  const { navigation } = layout
  const collections = navigation.map(({ target, rel }) => {
    return menuLink(layout, target, labelOfCollection(layout.model, relationName(rel) ?? rel))
  })
  return html`<div class="sidebar" id="menu" popover>
${collections.length > 0 && html`<nav aria-label="Collections"><ul>${collections}</ul></nav>`}
<nav aria-label="About this service"><ul>${serviceLinks(layout)}</ul></nav>
</div>`
}

/** A link of the menu, marked on its own page, on the pages below it and on those of its forms. */
function menuLink({ model, uri }: PageLayout, target: string, label: string): Markup {
  const [path = ''] = uri.split('?')
  const isCurrent = [target, formUriOf(model, target)].some(
    (place) => path === place || path.startsWith(`${place}/`),
  )
  const mark = isCurrent && html` aria-current="${path === target ? 'page' : 'true'}"`
  return html`<li><a href="${target}"${mark}>${label}</a></li>`
}

function serviceLinks(layout: PageLayout): readonly Markup[] {
  const { model, caller } = layout
  const own = ownCollections(layout).map((resource) =>
    menuLink(layout, collectionUri(model, resource), collectionLabel(resource)),
  )
  const forAdmins = [
    { topic: 'audit', isServed: layout.hasAudit, target: auditUri(model), label: phrase`Audit` },
    { topic: 'status', isServed: true, target: statusUri(model), label: phrase`Status` },
  ] as const
  return [
    ...own,
    menuLink(layout, docsUri(model), phrase`Documentation`),
    menuLink(layout, problemsUri(model), phrase`Problems`),
    ...forAdmins
      .filter(({ topic, isServed }) => isServed && isPermittedAdmin(model, caller, topic))
      .map(({ target, label }) => menuLink(layout, target, label)),
  ]
}

/** The built-in collections of the caller, such as tokens, where the caller can have items in them. */
function ownCollections({ model, caller }: PageLayout): readonly ResourceModel[] {
  return [...model.resources.values()].filter((resource) => {
    const { menu } = resource.traits
    if (menu === 'signed-in') return caller.kind !== 'anonymous'
    return menu !== undefined && rightsOf(resource, caller)[menu].kind !== 'never'
  })
}

function accountMenu(layout: PageLayout): Markup | undefined {
  const { model, caller, canSignIn, account } = layout
  if (layout.viewedAs !== undefined) return undefined
  if (caller.kind === 'anonymous') {
    if (!canSignIn) return undefined
    return html`<div class="account"><a class="sign-in" href="${signInUri(model)}${signInQuery(layout)}">Sign in</a></div>`
  }
  const own = account && html`<ul>${menuLink(layout, account.uri, phrase`Your account`)}</ul>`
  const signOut =
    canSignIn &&
    html`<form method="post" action="${signOutUri(model)}"><button class="quiet">Sign out</button></form>`
  return html`<div class="account"><button class="quiet" popovertarget="account">${account ? (account.title ?? phrase`Your account`) : phrase`Account`}</button>
<div class="account-menu" id="account" popover>${own}
${signOut}</div></div>`
}

/** The query of /sign-in with this page as `next`, to return to after signing in. */
export function signInQuery({ model, uri }: PageLayout): string {
  const [path, query = ''] = uri.split('?')
  const isSigningIn = [signInUri, secondFactorUri, passkeyUri, signInLinksUri].some(
    (uri) => path === uri(model),
  )
  const next = isSigningIn ? new Map(parseQueryString(query)).get('next') : uri
  // The address of a link in a mail and that of a callback are secrets, which no other URI may repeat.
  const secrets = [signInUri, signInLinksUri, passwordResetsUri, verificationsUri, invitationsUri].map(
    (uriOf) => uriOf(model),
  )
  const isSecret = secrets.some((one) => next?.startsWith(`${one}/`))
  if (next === undefined || next === '' || next === homeUri(model) || isSecret) return ''
  return `?next=${encodeURIComponent(next)}`
}

/** The page as another account sees it: links lead to the own view, and no form can be sent. */
function previewMarkup({ uri, viewedAs }: PageLayout, main: MarkupPart): Markup {
  const { name = '', explanation } = viewedAs ?? {}
  const why = explanation !== undefined && html` <a href="${explanation}">What may they do, and why?</a>`
  return html`<p class="note" role="status">You see this page as ${name} would, as far as you may read it yourself. Nothing can be changed here. <a href="${uri}">Back to your view</a>${why}</p>
<fieldset class="preview" disabled>${main}</fieldset>`
}
