import { dirname } from "node:path";
import { EdgewiseError } from "../errors.js";
import {
  followLinks,
  isInside,
  NotFollowed,
  realDirectory,
  rootAt,
  workTreeOf,
  type Root,
} from "../files/follow-links.js";
import { ownUid } from "../files/own-uid.js";

/** Where a configuration's text is read. */
export interface ConfigTarget {
  /** Absolute, without a symbolic link. */
  readonly path: string;
  /** Whether a link led there that a pull request could have added: nothing of the text is quoted then. */
  readonly linked: boolean;
}

/** What the system makes up: environments, memory and devices, and no configuration. */
const systemDirectories = ["/proc", "/sys", "/dev"];

/**
 * Finds where a configuration's path leads. A link in a Git work tree, or in the directory that was searched, must stay
 * in there, and must not lead to anything hidden: a pull request could make it lead to any file of the runner. Links of
 * an operator elsewhere are followed.
 * @param file absolute
 * @param cwd absolute
 * @param named whether the operator named it, instead of it being found
 * @throws EdgewiseError `config`
 */
export function configTarget(file: string, cwd: string, named: boolean): ConfigTarget {
  const searched = [cwd, ...(named ? [] : [dirname(file)])].map(realDirectory);
  const rootOf = (directory: string): Root | null => {
    const root = workTreeOf(directory) ?? searched.find((each) => isInside(each, directory));
    return root === undefined ? null : rootAt(root);
  };
  try {
    // Kubernetes mounts a ConfigMap's files as links to ..data, which is a link to a directory like ..2026_11_21.
    const isHidden = (name: string): boolean => /^\.(?!\.)/.test(name);
    const { path, confined } = followLinks(file, { uid: ownUid(), rootOf, isHidden });
    if ([file, path].some((each) => systemDirectories.some((system) => isInside(system, each)))) {
      throw new NotFollowed("what lies in /proc, /sys or /dev is the system's", "Name a file with -c.");
    }
    return { path, linked: confined };
  } catch (cause) {
    if (cause instanceof NotFollowed) {
      throw new EdgewiseError("config", `${file} can't be used as the configuration: ${cause.message}`, {
        remedy: cause.remedy,
        cause,
      });
    }
    throw new EdgewiseError("config", `${file} can't be read: it can't be opened`, {
      remedy: "Check its permissions.",
      cause,
    });
  }
}
