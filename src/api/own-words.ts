import { schemaWords } from "../generated/schema-words.js";
import { publicWords } from "./public-words.js";

/** What SARIF, JUnit and HTML say, which no schema of edgewise describes. */
const formatWords =
  "$schema artifactLocation automationDetails columnKind defaultConfiguration driver fullDescription fullyQualifiedName " +
  "level locations logicalLocations options partialFingerprints physicalLocation properties results ruleId ruleIndex " +
  "rules runs shortDescription startColumn startLine text tool unicodeCodePoints uriBaseId version warning error note " +
  "testsuites testsuite testcase classname failures failure tests resource " +
  "DOCTYPE html head meta charset title style body main header footer section details summary span script class " +
  "table caption thead tbody label input button code pre open aria data none auto flex grid block left right bold";

/** Names of kinds, codes and styles: several words joined. */
const joined = /[a-z\d][-_/][a-z\d]/iu;

/**
 * Words that outputs are made of: a secret that is one of them is not masked, as no output would be what it must be, and
 * whoever can name a file as a secret could hide what a plan does.
 */
export const ownWords: ReadonlySet<string> = new Set([
  ...schemaWords,
  ...formatWords.split(" "),
  ...publicWords.flatMap((line) => line.split(" ").filter((word) => joined.test(word))),
]);
