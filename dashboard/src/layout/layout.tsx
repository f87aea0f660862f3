import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { Outlet, useNavigation } from "react-router";
import { useText } from "../text/text.ts";
import { Floating } from "./floating.tsx";
import { Header } from "./header.tsx";
import classes from "./layout.module.css";
import { Navigation } from "./navigation.tsx";
import { OfflineBar } from "./offline-bar.tsx";
import { usePageKeys } from "./use-page-keys.ts";

/** Header, navigation and the page between them. */
export function Layout() {
  const t = useText();
  const [isOpen, drawer] = useDisclosure(false);
  const [isFolded, setFolded] = useLocalStorage({ key: "laurel-navigation-folded", defaultValue: false });
  const navigation = useNavigation();
  usePageKeys();
  return (
    <div className={classes.shell} data-folded={isFolded || undefined} data-open={isOpen || undefined}>
      <a className="skip-link" href="#content">
        {t("layout.skip")}
      </a>
      <header className={classes.header}>
        <Header isOpen={isOpen} onToggle={drawer.toggle} />
      </header>
      <nav className={classes.navbar} aria-label={t("layout.navigation")}>
        <Navigation isFolded={isFolded} onFold={() => setFolded(!isFolded)} onLeave={drawer.close} />
      </nav>
      {isOpen && <div className={classes.veil} onClick={drawer.close} aria-hidden />}
      <main className={classes.main} id="content" tabIndex={-1}>
        {navigation.state === "loading" && <div className={classes.progress} />}
        <OfflineBar />
        <div className={classes.content}>
          <Outlet />
        </div>
      </main>
      <Floating />
    </div>
  );
}
